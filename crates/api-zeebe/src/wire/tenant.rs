//! Tenants, of which clients of this release may name one: the default.

use orloj_types::TenantId;
use tonic::Status;

use crate::proto::TenantFilter;
use crate::status;

const DEFAULT_TENANT: &str = "<default>";

pub(crate) fn read_tenant(rpc: &str, id: &str) -> Result<TenantId, Status> {
    match id {
        "" | DEFAULT_TENANT => Ok(TenantId::none()),
        other => Err(status::invalid(format!(
            "{rpc}: tenant '{}' was given, but multi-tenancy is off; leave the tenant empty or \
             say '{DEFAULT_TENANT}'",
            other.chars().take(TENANT_SHOWN_CHARS).collect::<String>()
        ))),
    }
}

/// What a worker says about tenants. With the filter ASSIGNED the ids do not count.
pub(crate) fn check_tenants(rpc: &str, ids: &[String], filter: i32) -> Result<(), Status> {
    match TenantFilter::try_from(filter) {
        Ok(TenantFilter::Provided) => ids.iter().try_for_each(|id| read_tenant(rpc, id).map(drop)),
        Ok(TenantFilter::Assigned) => Ok(()),
        Err(_) => Err(status::invalid(format!("{rpc}: tenant filter {filter} is unknown"))),
    }
}

pub(crate) fn tenant_shown(tenant: &TenantId) -> String {
    match tenant.is_none() {
        true => DEFAULT_TENANT.to_owned(),
        false => tenant.as_str().to_owned(),
    }
}

const TENANT_SHOWN_CHARS: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_default_tenant_is_known() {
        assert!(read_tenant("X", "").unwrap().is_none());
        assert!(read_tenant("X", "<default>").unwrap().is_none());
        let refused = read_tenant("DeployResource", "acme").unwrap_err();
        assert_eq!(refused.code(), tonic::Code::InvalidArgument);
        assert!(refused.message().contains("acme") && refused.message().contains("DeployResource"));
        assert_eq!(tenant_shown(&TenantId::none()), "<default>");
        assert_eq!(tenant_shown(&TenantId::new("acme")), "acme");
    }

    #[test]
    fn a_workers_tenants_count_only_when_provided() {
        let acme = ["acme".to_owned()];
        let ours = ["<default>".to_owned()];
        assert!(check_tenants("X", &ours, 0).is_ok());
        assert!(check_tenants("X", &[], 0).is_ok());
        assert!(check_tenants("X", &acme, 0).is_err());
        assert!(check_tenants("X", &acme, 1).is_ok());
        assert!(check_tenants("X", &ours, 2).is_err());
    }
}
