use orloj::Orloj;
use tokio_util::sync::CancellationToken;
use tonic::codec::CompressionEncoding;
use tonic::service::Routes;
use tonic_health::pb::health_server::HealthServer;

use crate::gateway::Gateway;
use crate::health::Health;
use crate::options::{MESSAGE_BYTES_MAX, Options};
use crate::proto::gateway_server::GatewayServer;
use crate::wire::TooLargeService;

/// The gateway and its health service, to be served alone or beside other routes.
///
/// Once `closing` is cancelled new calls are refused, waiting polls and open streams end, and
/// health says so; calls that are under way finish.
pub fn router(orloj: Orloj, options: Options, closing: CancellationToken) -> Routes {
    let health = HealthServer::new(Health::new(orloj.clone(), closing.clone()));
    let gateway = GatewayServer::new(Gateway::new(orloj, options, closing))
        .max_decoding_message_size(MESSAGE_BYTES_MAX)
        // Larger answers are split or refused where their jobs are known; a status made by the
        // encoder would lose them.
        .max_encoding_message_size(usize::MAX)
        .accept_compressed(CompressionEncoding::Gzip)
        .accept_compressed(CompressionEncoding::Deflate);
    Routes::new(TooLargeService::new(gateway)).add_service(health)
}
