//! The few lines that say what runs and how to look at it.

use orloj_server::Addresses;

use super::Plan;
use crate::output::talk;

pub fn say(plan: &Plan, addresses: Addresses) {
    // As it was called, so that the lines can be typed as they stand.
    let program = std::env::args().next().unwrap_or_else(|| "orloj".to_owned());
    talk(&format!("Orloj {} is running; Ctrl-C stops it", env!("CARGO_PKG_VERSION")));
    talk(&text(&program, &plan.config.store.to_string(), plan.rate, addresses));
}

fn text(program: &str, store: &str, rate: f64, addresses: Addresses) -> String {
    let Addresses { grpc, http } = addresses;
    let url = if http.to_string() == "127.0.0.1:8080" {
        String::new()
    } else {
        format!(" --url http://{http}")
    };
    let orders = if rate == 0.0 {
        "no orders come in by themselves".to_owned()
    } else {
        format!("orders come in, {rate} a second")
    };
    format!(
        "  Zeebe gateway  {grpc}
  HTTP API       http://{http}/api
  store          {store}
  demo           process 'order' with its workers; {orders}
look at it
  {program} instance list{url}
  {program} incident list{url}
  {program} job list{url}
  curl http://{http}/api/instances
  zbctl status --insecure --address {grpc}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_can_be_typed_as_they_stand() {
        let at = |grpc: &str, http: &str| Addresses {
            grpc: grpc.parse().unwrap(),
            http: http.parse().unwrap(),
        };
        let addresses = at("127.0.0.1:26500", "127.0.0.1:8080");
        insta::assert_snapshot!(text("orloj", "sqlite:/d/dev.db", 1.0, addresses));
        let elsewhere = at("127.0.0.1:26501", "127.0.0.1:8081");
        let said = text("target/release/orloj", "sqlite::memory:", 0.0, elsewhere);
        assert!(said.contains("target/release/orloj instance list --url http://127.0.0.1:8081"));
        assert!(said.contains("no orders"));
    }
}
