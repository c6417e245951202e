//! The roles with a guest, one after another in one boot.
use super::arguments::{Arguments, Role};
use super::table::Table;
use crate::cli::console::Console;
use crate::live::role::agent::Agent;
use crate::live::role::cases;
use crate::live::role::management::Management;
use crate::live::role::perftest::{Asker, Kind, Perftest, Tool};
use crate::live::role::pingpong::End;
use crate::live::role::rig::Rig;
use crate::live::role::rping::{Rping, PORT};
use crate::live::role::soak;
use crate::live::session::{Ran, Session};
use crate::live::software::QpNumbers;
use hca_golden::verbs::Service;

/// Roles without a name on the command line.
const ALL: [Role; 4] = [Role::Pingpong, Role::Perftest, Role::Agent, Role::Rping];

/// Plays the requested roles.
pub(super) fn play(
    arguments: &Arguments,
    session: &mut Session,
    numbers: &mut QpNumbers,
    table: &mut Table,
    console: &mut Console,
) -> Ran<()> {
    let agent = Agent::await_guest(session)?;
    console.line("the guest is up")?;
    let roles: &[Role] = match arguments.roles.is_empty() {
        true => &ALL,
        false => &arguments.roles,
    };
    for role in roles {
        match role {
            Role::Pingpong => pingpong(arguments, agent, session, numbers, table, console)?,
            Role::Agent => {
                for case in cases::all() {
                    table.begin(session);
                    let done = cases::play(&mut rig(agent, session, numbers), case)?;
                    console.line(&table.end(session, "agent", &done))?;
                }
            }
            Role::Perftest => perftest(agent, session, numbers, table, console)?,
            Role::Rping => rping(agent, session, numbers, table, console)?,
            Role::Soak => {
                table.begin(session);
                let done = soak::play(
                    &mut rig(agent, session, numbers),
                    arguments.seed,
                    arguments.seconds,
                )?;
                console.line(&table.end(session, "soak", &done))?;
            }
        }
    }
    agent.dismiss(session)
}

fn rig<'a>(agent: Agent, session: &'a mut Session, numbers: &'a mut QpNumbers) -> Rig<'a> {
    Rig {
        session,
        agent,
        numbers,
        operations: 0,
    }
}

/// Plays the programs of libibverbs against the adapter, as client and as server.
fn pingpong(
    arguments: &Arguments,
    agent: Agent,
    session: &mut Session,
    numbers: &mut QpNumbers,
    table: &mut Table,
    console: &mut Console,
) -> Ran<()> {
    let ends = [End::Server { echoes: false }, End::Client];
    let services = arguments.services().iter();
    let runs = services.flat_map(|service| ends.map(|end| (*service, end)));
    for (n, (service, end)) in runs.enumerate() {
        let run = arguments.pingpong(service, end, n as u16);
        let program = match service {
            Service::Uc => "ibv_uc_pingpong",
            Service::Ud => "ibv_ud_pingpong",
            _ => "ibv_rc_pingpong",
        };
        let server = match end {
            End::Client => String::new(),
            End::Server { .. } => format!(" {}", session.own.ipv4()),
        };
        let command = format!(
            "{program} -g {} -s {} -n {} -p {}{server}",
            agent.gid_index, run.size, run.count, run.port
        );
        table.begin(session);
        agent.start(session, &command)?;
        let played = run.play(session, numbers)?;
        agent.finish(session, &command)?;
        let done = played.end(session, numbers)?;
        console.line(&table.end(session, "pingpong", &done))?;
    }
    Ok(())
}

/// Plays the programs of perftest against the adapter, which first answers and then sends requests.
fn perftest(
    agent: Agent,
    session: &mut Session,
    numbers: &mut QpNumbers,
    table: &mut Table,
    console: &mut Console,
) -> Ran<()> {
    let runs = [Asker::Peer, Asker::Adapter]
        .into_iter()
        .flat_map(|asker| Tool::all().map(move |tool| (tool, asker)));
    for (tool, asker) in runs {
        let (size, count) = match (tool.kind, tool.latency) {
            (Kind::Atomic, _) => (8, 50),
            (_, true) => (64, 50),
            (_, false) => (4096, 50),
        };
        let run = Perftest {
            tool,
            asker,
            size,
            count,
        };
        let mut command = run.command(agent.gid_index);
        if asker == Asker::Peer {
            command += &format!(" {}", session.own.ipv4());
        }
        table.begin(session);
        agent.start(session, &command)?;
        let played = run.play(session, numbers)?;
        agent.finish(session, &command)?;
        let done = played.end(session, numbers)?;
        console.line(&table.end(session, "perftest", &done))?;
    }
    Ok(())
}

/// Plays librdmacm's program against the adapter, as client and as server.
fn rping(
    agent: Agent,
    session: &mut Session,
    numbers: &mut QpNumbers,
    table: &mut Table,
    console: &mut Console,
) -> Ran<()> {
    let run = Rping {
        rounds: 10,
        size: 3000,
    };
    let mut qp1 = Management::begin(session)?;
    let (rounds, size) = (run.rounds, run.size);
    let command = format!(
        "rping -c -a {} -p {PORT} -C {rounds} -S {size} -V",
        session.own.ipv4()
    );
    table.begin(session);
    agent.start(session, &command)?;
    let done = run.serve(session, numbers, &mut qp1)?;
    agent.finish(session, &command)?;
    console.line(&table.end(session, "rping", &done))?;
    let command = format!("rping -s -a {} -p {PORT} -S {size}", session.peer.ipv4());
    table.begin(session);
    agent.start(session, &command)?;
    let done = run.ask(session, numbers, &mut qp1)?;
    agent.finish(session, &command)?;
    console.line(&table.end(session, "rping", &done))?;
    qp1.end(session)
}
