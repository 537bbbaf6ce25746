//! `listen=HOST:PORT` in a store's URL: where the database itself is reached when the URL leads to
//! a pooler, which cannot pass notices on.

use orloj_store::Error;

/// The URL without `listen`, and the one to listen at, where one is named.
pub(crate) fn taken_from(url: &str) -> Result<(String, Option<String>), Error> {
    let (base, query) = url.split_once('?').unwrap_or((url, ""));
    let mut address = None;
    let mut rest = Vec::new();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        match pair.strip_prefix("listen=") {
            Some(named) => address = Some(named),
            None => rest.push(pair),
        }
    }
    let query = if rest.is_empty() { String::new() } else { format!("?{}", rest.join("&")) };
    let listen_url = match address {
        Some(address) => Some(format!("{}{query}", with_address(base, address)?)),
        None => None,
    };
    Ok((format!("{base}{query}"), listen_url))
}

/// Same user, same database, another server.
fn with_address(base: &str, address: &str) -> Result<String, Error> {
    let is_address = !address.is_empty() && !address.contains(['/', '@', '?', '#', ' ']);
    let start = base.find("://").map(|at| at + 3);
    let (true, Some(start)) = (is_address, start) else {
        return Err(Error::Refused(format!(
            "listen={address}: expected the database's own HOST:PORT behind a postgres:// URL"
        )));
    };
    let end = base[start..].find('/').map_or(base.len(), |at| start + at);
    let host = base[start..end].rfind('@').map_or(start, |at| start + at + 1);
    Ok(format!("{}{address}{}", &base[..host], &base[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pooler_and_the_database_behind_it_have_one_url() {
        let both = taken_from("postgres://u:p@pooler:6432/db?listen=db:5432&sslmode=require");
        let (url, listen) = both.expect("a URL");
        assert_eq!(url, "postgres://u:p@pooler:6432/db?sslmode=require");
        assert_eq!(listen.as_deref(), Some("postgres://u:p@db:5432/db?sslmode=require"));
        let plain = taken_from("postgres://pooler").expect("a URL");
        assert_eq!(plain, ("postgres://pooler".to_owned(), None));
        let short = taken_from("postgres://pooler?listen=[::1]:5432").expect("a URL");
        assert_eq!(short.1.as_deref(), Some("postgres://[::1]:5432"));
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for url in ["postgres://h/db?listen=", "postgres://h/db?listen=u@h", "host=h?listen=h:1"] {
            assert!(matches!(taken_from(url), Err(Error::Refused(_))), "{url}");
        }
    }
}
