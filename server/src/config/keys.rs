//! The keys of the configuration: once, for the loader, its messages and the guide.

/// Read when it exists, unless `--config` names another file.
pub const CONFIG_FILE_DEFAULT: &str = "orloj.toml";
pub const ENVIRONMENT_PREFIX: &str = "ORLOJ_";

/// One thing that can be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// As in the file.
    pub name: &'static str,
    pub kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Text,
    Number,
    Flag,
}

pub const KEYS: &[Key] = &[
    Key { name: "store", kind: Kind::Text },
    Key { name: "data_dir", kind: Kind::Text },
    Key { name: "listen_grpc", kind: Kind::Text },
    Key { name: "listen_http", kind: Kind::Text },
    Key { name: "node_name", kind: Kind::Text },
    Key { name: "heartbeat_timeout_ms", kind: Kind::Number },
    Key { name: "executor", kind: Kind::Flag },
    Key { name: "threads", kind: Kind::Number },
    Key { name: "log", kind: Kind::Text },
];

impl Key {
    pub fn find(name: &str) -> Option<Self> {
        KEYS.iter().copied().find(|key| key.name == name)
    }

    pub fn variable(name: &str) -> String {
        format!("{ENVIRONMENT_PREFIX}{}", name.replace('.', "_").to_uppercase())
    }

    pub fn flag(name: &str) -> String {
        format!("--{}", name.replace('_', "-"))
    }
}
