use orloj_store::format::decode_job_keys;
use orloj_store::{Error, LoadedInstance, RecordPageKind};
use orloj_types::JobKey;

/// The jobs of an instance, the newest first.
pub(crate) fn job_keys(loaded: &LoadedInstance) -> Result<Vec<JobKey>, Error> {
    let base = loaded.row.key.raw();
    let elements = loaded.pages.iter().filter(|page| page.kind == RecordPageKind::Elements);
    let mut keys = Vec::new();
    for bytes in elements.map(|page| &page.bytes).chain([&loaded.row.record]) {
        keys.extend(decode_job_keys(bytes)?.map(|key| JobKey::new(key + base)));
    }
    keys.sort_unstable_by(|one, other| other.cmp(one));
    Ok(keys)
}
