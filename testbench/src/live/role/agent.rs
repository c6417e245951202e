//! The agent in the guest (`testbench/guest/agent.c`): a line to it, a line back.
use crate::live::gateway::Tcp;
use crate::live::session::{Ran, Session, SessionError};

/// The TCP port on which the agent is awaited.
const PORT: u16 = 7000;
/// Bytes of the longest answer: the end of what a program said, in hexadecimal.
const LONGEST: usize = 16_384;

/// The agent, connected.
#[derive(Clone, Copy, Debug)]
pub struct Agent {
    tcp: Tcp,
    /// Index of the IPv4 address in the guest's GID table.
    pub gid_index: u8,
}

impl Agent {
    /// Awaits a guest that has come up.
    pub fn await_guest(session: &mut Session) -> Ran<Agent> {
        let tcp = match session.accept(PORT) {
            Err(SessionError::Silent { seconds, .. }) => {
                let what = "the agent of a guest that has booted".to_owned();
                return Err(SessionError::Silent { what, seconds });
            }
            tcp => tcp?,
        };
        let mut agent = Agent { tcp, gid_index: 0 };
        let greeting = agent.hear(session)?;
        let index = greeting
            .strip_prefix("agent ")
            .and_then(|index| index.parse().ok());
        agent.gid_index = index.ok_or_else(|| {
            SessionError::Wrong(format!(
                "the guest's agent greets with {greeting:?}: has soft-RoCE an address?"
            ))
        })?;
        Ok(agent)
    }

    /// The answer to a line.
    pub fn ask(&self, session: &mut Session, line: &str) -> Ran<String> {
        session.say(self.tcp, format!("{line}\n").as_bytes())?;
        let answer = self.hear(session)?;
        match answer.starts_with("failed") || answer == "what" {
            true => Err(SessionError::Wrong(format!(
                "the guest answers {line:?} with {answer:?}"
            ))),
            false => Ok(answer),
        }
    }

    /// The numbers of the answer to a line, in hexadecimal.
    pub fn numbers<const N: usize>(&self, session: &mut Session, line: &str) -> Ran<[u64; N]> {
        let answer = self.ask(session, line)?;
        let words = answer.split(' ').map(|word| u64::from_str_radix(word, 16));
        let numbers = words.collect::<Result<Vec<u64>, _>>().ok();
        numbers
            .and_then(|numbers| numbers.try_into().ok())
            .ok_or_else(|| SessionError::Wrong(format!("the guest answers {line:?} with {answer:?}")))
    }

    /// Starts a command of the guest's shell.
    pub fn start(&self, session: &mut Session, command: &str) -> Ran<()> {
        self.ask(session, &format!("run {command}")).map(drop)
    }

    /// Awaits its end, which must be a success; what it said last.
    pub fn finish(&self, session: &mut Session, command: &str) -> Ran<String> {
        let milliseconds = session.patience().as_millis() / 2;
        let answer = self.ask(session, &format!("wait {milliseconds:x}"))?;
        let (status, said) = answer.split_once(' ').unwrap_or((&answer, ""));
        let pair = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
        let said: Vec<u8> = said.as_bytes().chunks(2).filter_map(pair).collect();
        let said = String::from_utf8_lossy(&said).into_owned();
        match status {
            "0" => Ok(said),
            "fe" => Err(SessionError::Wrong(format!(
                "`{command}` did not end in the guest; it said: {said}"
            ))),
            _ => Err(SessionError::Wrong(format!(
                "`{command}` ended with status {status}h in the guest; it said: {said}"
            ))),
        }
    }

    /// Sends the agent away; the guest goes down.
    pub fn dismiss(self, session: &mut Session) -> Ran<()> {
        self.ask(session, "bye")?;
        session.part(self.tcp)
    }

    fn hear(&self, session: &mut Session) -> Ran<String> {
        let mut line = Vec::new();
        loop {
            match session.hear(self.tcp, 1, "an answer of the guest's agent")?[0] {
                b'\n' => return Ok(String::from_utf8_lossy(&line).into_owned()),
                byte => line.push(byte),
            }
            if line.len() > LONGEST {
                return Err(SessionError::Wrong(
                    "the guest's agent says a line without an end".to_owned(),
                ));
            }
        }
    }
}
