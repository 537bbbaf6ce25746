use std::fmt;
use std::str::FromStr;

/// `HOST:PORT` to listen on. The host may be a name; it is looked up when the listener is bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address(String);

impl Address {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let fits = text.rsplit_once(':').is_some_and(|(host, port)| {
            let is_bare_v6 = host.contains(':') && !host.starts_with('[');
            !host.is_empty() && !is_bare_v6 && port.parse::<u16>().is_ok()
        });
        if fits {
            Ok(Self(text.to_owned()))
        } else {
            Err(format!("'{text}' is not HOST:PORT, such as 127.0.0.1:8080 or [::]:8080"))
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_names_numbers_and_brackets_and_nothing_else() {
        for good in ["127.0.0.1:0", "localhost:26500", "[::1]:8080", "0.0.0.0:65535"] {
            assert!(good.parse::<Address>().is_ok(), "{good}");
        }
        for bad in ["8080", ":8080", "localhost", "localhost:", "host:65536", "::1:80", "host:-1"] {
            assert!(bad.parse::<Address>().is_err(), "{bad}");
        }
    }
}
