//! Opens two HCAs, connects two queue pairs and exchanges messages: `cargo run --example two_hosts`.
use hca_host::profile::SMALL;
use hca_sim::driver::{Event, Operation, ReceiveWork, SendWork};
use hca_sim::verbs::{Connection, MrAttributes, Pair, QpInitAttributes};
use hca_sim::SimConfig;

const BUFFER: u64 = 0x2000_0000;
const LENGTH: usize = 4096;
const GREETING: &[u8] = b"a message from X to Y";
const ANSWER: &[u8] = b"written by Y, straight into the memory of X";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let library = hca_sim::design::library(&hca_rtl::export::hca(&SMALL)?)?;
    let mut pair = Pair::new(&library, &SimConfig::default())?;

    let region = MrAttributes::shared(BUFFER, LENGTH as u64);
    let (mr_x, mr_y) = (pair.x().reg_mr(&region)?, pair.y().reg_mr(&region)?);
    let ((cq_x, _), (cq_y, _)) = (pair.x().create_cq(16)?, pair.y().create_cq(16)?);
    let qp_x = pair.x().create_qp(&QpInitAttributes::new(cq_x, cq_x))?;
    let qp_y = pair.y().create_qp(&QpInitAttributes::new(cq_y, cq_y))?;
    pair.connect(qp_x, qp_y, &Connection::default())?;

    // X sends; Y sleeps until its completion queue calls.
    let mut y = pair.y();
    y.set_completion_handler(|hca, cq| println!("{hca:?} calls for {cq:?}"));
    y.request_notify(cq_y, false)?;
    let segments = vec![mr_y.sge(BUFFER, LENGTH)];
    y.post_recv(qp_y, &ReceiveWork { wr_id: 1, segments })?;

    let mut x = pair.x();
    x.write(BUFFER, GREETING);
    let segments = vec![mr_x.sge(BUFFER, GREETING.len())];
    x.post_send(qp_x, &SendWork::signaled(2, Operation::Send, segments))?;

    let mut y = pair.y();
    while !matches!(y.next_event()?, Event::Completion { .. }) {}
    let length = y.next_completion(cq_y)?.byte_count;
    let text = y.read(BUFFER, length as usize);
    println!("Y received {:?}", String::from_utf8_lossy(&text));
    println!("X: status {}", pair.x().next_completion(cq_x)?.status);

    // Y writes back, and X's software takes no part.
    let mut y = pair.y();
    y.write(BUFFER, ANSWER);
    let (va, r_key) = (BUFFER, mr_x.r_key);
    let segments = vec![mr_y.sge(BUFFER, ANSWER.len())];
    let write = SendWork::signaled(3, Operation::Write { va, r_key }, segments);
    y.post_send(qp_y, &write)?;
    println!("Y: status {}", y.next_completion(cq_y)?.status);
    let text = pair.x().read(BUFFER, ANSWER.len());
    println!("X holds {:?}", String::from_utf8_lossy(&text));
    println!("{} clock cycles", pair.cycle());
    Ok(())
}
