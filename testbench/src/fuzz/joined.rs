//! Joins the folders of several runs of a campaign.
use super::record::Record;
use super::run_spec::gaps;
use super::store::Store;
use super::summary::{Fault, Summary};
use std::collections::BTreeMap;

/// Joins the folders, with each case once. A case with different results in two folders is a fault. All folders must be
/// of one campaign; `None` if they are not.
pub fn joined(stores: &[&Store]) -> Option<Summary> {
    let campaign = stores.first()?.campaign();
    let mut records: BTreeMap<u64, (&Record, &Store)> = BTreeMap::new();
    let mut disagreements: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for store in stores {
        for (index, record) in store.records() {
            let (before, whose) = records.entry(*index).or_insert((record, store));
            if *before != record {
                let [one, other] = [whose.folder(), store.folder()].map(|folder| folder.display());
                let words = format!("two runs of it differ: `{one}` and `{other}`");
                disagreements.entry(words).or_default().push(*index);
            }
        }
    }
    let asked: Vec<_> = stores.iter().flat_map(|store| store.asked()).cloned().collect();
    let mut summary = Summary::of(campaign, records.values().map(|(record, _)| *record));
    summary.missing = gaps(&asked, &records.keys().copied().collect());
    summary.faults.extend(
        disagreements
            .into_iter()
            .map(|(differed, cases)| Fault { differed, cases }),
    );
    summary.faults.sort_by_key(Fault::first);
    Some(summary)
}
