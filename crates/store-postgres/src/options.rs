use orloj_store::Error;
use orloj_types::EngineName;

/// Committer connections: with one, the server idles while the node prepares the next group; with
/// more than two, groups become smaller and nothing faster.
pub const LANES_DEFAULT: u8 = 2;
pub const READERS_DEFAULT: u8 = 2;

/// How to reach a database, and what part of it to use.
#[derive(Clone, Debug)]
pub struct Options {
    /// `postgres://user:password@host:port/database?sslmode=…`. With `sslmode=require`,
    /// `verify-ca` or `verify-full` the connection is encrypted and the server's certificate and
    /// name are checked against those the system trusts, or the file named by `sslrootcert`;
    /// otherwise it is not encrypted. `listen=HOST:PORT` is the database's own address when the
    /// URL leads to a pooler, which cannot pass notices on.
    pub url: String,
    /// Only rows of this engine are seen.
    pub engine: EngineName,
    /// Created when missing.
    pub schema: String,
    /// Connections that commit groups.
    pub lanes: u8,
    /// Connections for everything else.
    pub readers: u8,
    /// Whether a commit sends all rows of a kind together. Otherwise every row is a statement of
    /// its own, in one transaction all the same: slow, and meant for whoever looks for the row
    /// that a server trips over.
    pub in_bulk: bool,
}

impl Options {
    pub fn new(url: impl Into<String>, engine: EngineName) -> Self {
        Self {
            url: url.into(),
            engine,
            schema: "public".to_owned(),
            lanes: LANES_DEFAULT,
            readers: READERS_DEFAULT,
            in_bulk: true,
        }
    }

    pub(crate) fn check(&self) -> Result<(), Error> {
        let refuse = |why: &str| Err(Error::Refused(why.to_owned()));
        if self.lanes == 0 || self.readers == 0 {
            return refuse("a store needs at least one lane and one reader");
        }
        // A longer name would be cut off without a word.
        if self.schema.is_empty() || self.schema.contains('\0') || self.schema.len() > 63 {
            return refuse("the name of a schema has 1 to 63 bytes, none of them 0");
        }
        Ok(())
    }
}
