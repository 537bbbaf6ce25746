//! Encryption: what the URL asks for.

use std::path::PathBuf;
use std::sync::Arc;

use orloj_store::Error;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use tokio_postgres::config::SslMode;
use tokio_postgres_rustls::MakeRustlsConnect;

/// The parts of a URL that say how to encrypt, taken out of it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TlsWish {
    /// What is left; the driver knows fewer values of `sslmode` and no `sslrootcert`.
    pub url: String,
    pub mode: SslMode,
    pub root_file: Option<PathBuf>,
}

impl TlsWish {
    pub fn take_from(url: &str) -> Result<Self, Error> {
        let (base, query) = url.split_once('?').unwrap_or((url, ""));
        let mut mode = SslMode::Disable;
        let mut root_file = None;
        let mut rest = Vec::new();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            match pair.split_once('=') {
                Some(("sslmode", wish)) => mode = mode_of(wish)?,
                Some(("sslrootcert", path)) => root_file = Some(PathBuf::from(unescaped(path)?)),
                _ => rest.push(pair),
            }
        }
        let url = match rest.is_empty() {
            true => base.to_owned(),
            false => format!("{base}?{}", rest.join("&")),
        };
        Ok(Self { url, mode, root_file })
    }

    /// None when the connection is to be plain.
    pub fn connect(&self) -> Result<Option<MakeRustlsConnect>, Error> {
        if self.mode == SslMode::Disable {
            return Ok(None);
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|e| Error::Refused(format!("encryption: {e}")))?
            .with_root_certificates(self.roots()?)
            .with_no_client_auth();
        Ok(Some(MakeRustlsConnect::new(config)))
    }

    fn roots(&self) -> Result<RootCertStore, Error> {
        let mut roots = RootCertStore::empty();
        if let Some(path) = &self.root_file {
            let refuse = |why: String| Error::Refused(format!("sslrootcert {path:?}: {why}"));
            let found = CertificateDer::pem_file_iter(path).map_err(|e| refuse(e.to_string()))?;
            for certificate in found {
                let certificate = certificate.map_err(|e| refuse(e.to_string()))?;
                roots.add(certificate).map_err(|e| refuse(e.to_string()))?;
            }
        } else {
            // Some of a system's certificates may be unreadable; the rest still count.
            let found = rustls_native_certs::load_native_certs();
            roots.add_parsable_certificates(found.certs);
        }
        if roots.is_empty() {
            return Err(Error::Refused("no certificates to check the server by".to_owned()));
        }
        Ok(roots)
    }
}

fn mode_of(wish: &str) -> Result<SslMode, Error> {
    match wish {
        // Whoever does not insist gets a plain connection: to encrypt without checking whom one
        // talks to would only look safe.
        "disable" | "allow" | "prefer" => Ok(SslMode::Disable),
        "require" | "verify-ca" | "verify-full" => Ok(SslMode::Require),
        other => Err(Error::Refused(format!("unknown sslmode {other:?}"))),
    }
}

fn unescaped(text: &str) -> Result<String, Error> {
    let refuse = || Error::Refused(format!("malformed escape in {text:?}"));
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        rest = tail;
        if first != b'%' {
            bytes.push(first);
            continue;
        }
        let digits = tail.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        let byte = digits.and_then(|hex| u8::from_str_radix(hex, 16).ok()).ok_or_else(refuse)?;
        bytes.push(byte);
        rest = &tail[2..];
    }
    String::from_utf8(bytes).map_err(|_| refuse())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wish(url: &str) -> TlsWish {
        TlsWish::take_from(url).expect(url)
    }

    #[test]
    fn only_an_insisting_url_is_encrypted() {
        let url = "postgres://h/db?sslmode=verify-full&application_name=x&sslrootcert=/a%20b.pem";
        let taken = wish(url);
        assert_eq!(taken.url, "postgres://h/db?application_name=x");
        assert_eq!(taken.mode, SslMode::Require);
        assert_eq!(taken.root_file, Some(PathBuf::from("/a b.pem")));
        for url in ["postgres://h/db", "postgres://h/db?sslmode=prefer"] {
            let taken = wish(url);
            assert_eq!((taken.url.as_str(), taken.mode), ("postgres://h/db", SslMode::Disable));
            assert!(taken.connect().expect("plain").is_none());
        }
        assert!(TlsWish::take_from("postgres://h/db?sslmode=maybe").is_err());
        assert!(TlsWish::take_from("postgres://h/db?sslrootcert=%4").is_err());
    }

    #[test]
    fn missing_certificates_are_refused() {
        let refused = wish("postgres://h/db?sslmode=require&sslrootcert=/no/such/file").connect();
        assert!(matches!(refused, Err(Error::Refused(_))));
    }
}
