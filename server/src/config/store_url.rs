//! Where state is kept, as one line of text.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use orloj::StoreChoice;

/// `sqlite:PATH`, `sqlite::memory:` or `postgres://…`. Shown without its password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreUrl(pub StoreChoice);

impl StoreUrl {
    pub fn sqlite(path: &Path) -> Self {
        Self(StoreChoice::SqliteFile(path.to_owned()))
    }
}

impl FromStr for StoreUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            return Ok(Self(StoreChoice::Postgres(text.to_owned())));
        }
        let path = text.strip_prefix("sqlite:").map(|path| path.strip_prefix("//").unwrap_or(path));
        match path {
            Some(":memory:") => Ok(Self(StoreChoice::Memory)),
            Some(path) if !path.is_empty() => Ok(Self::sqlite(Path::new(path))),
            _ => Err(format!(
                "'{text}' is not a store; write sqlite:PATH, sqlite::memory: or \
                 postgres://USER@HOST/DATABASE"
            )),
        }
    }
}

impl fmt::Display for StoreUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            StoreChoice::SqliteFile(path) => write!(f, "sqlite:{}", path.display()),
            StoreChoice::Memory => f.write_str("sqlite::memory:"),
            StoreChoice::Postgres(url) => f.write_str(&without_password(url)),
        }
    }
}

/// Parameters are dropped as well: they can hold a password or the path of a key.
fn without_password(url: &str) -> String {
    let url = url.split_once('?').map_or(url, |(before, _)| before);
    let Some((scheme, rest)) = url.split_once("://") else { return "postgres".to_owned() };
    match rest.rsplit_once('@') {
        Some((user, host)) => {
            let user = user.split_once(':').map_or(user, |(name, _)| name);
            format!("{scheme}://{user}@{host}")
        }
        None => format!("{scheme}://{rest}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_each_kind_of_store() {
        let choice = |text: &str| text.parse::<StoreUrl>().map(|url| url.0);
        assert_eq!(choice("sqlite::memory:"), Ok(StoreChoice::Memory));
        assert_eq!(choice("sqlite:a/b.db"), Ok(StoreChoice::SqliteFile("a/b.db".into())));
        assert_eq!(choice("sqlite:///a/b.db"), Ok(StoreChoice::SqliteFile("/a/b.db".into())));
        let url = "postgres://anna@db/orders";
        assert_eq!(choice(url), Ok(StoreChoice::Postgres(url.to_owned())));
        for bad in ["", "orders.db", "sqlite:", "mysql://db", "POSTGRES://db"] {
            assert!(choice(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_password_is_never_shown() {
        let shown = |text: &str| text.parse::<StoreUrl>().unwrap().to_string();
        assert_eq!(shown("postgres://anna:pass@word@db:5432/o"), "postgres://anna@db:5432/o");
        assert_eq!(shown("postgres://db/o?user=a&password=secret"), "postgres://db/o");
        assert_eq!(shown("sqlite://x.db"), "sqlite:x.db");
    }
}
