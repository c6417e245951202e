//! The agent in the guest (`testbench/guest/agent.c`). Each line to it is answered by a line.
use crate::live::gateway::Tcp;
use crate::live::session::{Ran, Session, SessionError};

/// TCP port on which the adapter's software waits for the agent.
const PORT: u16 = 7000;
/// Length of the longest answer in bytes: the end of a program's output, in hexadecimal.
const LONGEST: usize = 16_384;

/// The agent, connected.
#[derive(Clone, Copy, Debug)]
pub struct Agent {
    tcp: Tcp,
    /// Index of the IPv4 address in the guest's GID table.
    pub gid_index: u8,
}

impl Agent {
    /// Waits for a guest that has started.
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

    /// Sends a line, and returns the answer.
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

    /// Sends a line, and returns the numbers of the answer, which are in hexadecimal.
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

    /// Waits for the end of the command, which must succeed. Returns the end of its output.
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

    /// Ends the agent, so that the guest shuts down.
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
