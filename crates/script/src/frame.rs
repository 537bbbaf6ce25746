//! Messages on a pipe: the length as four bytes, little endian, then JSON.

use std::io::{self, Read, Write};

/// Larger messages are refused on both sides, so that a child gone wild cannot fill its parent.
pub(crate) const FRAME_BYTES_MAX: usize = 16 << 20;

/// `None` at the end of the stream.
pub(crate) fn read(from: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut head = [0; 4];
    match from.read_exact(&mut head) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        Err(error) => return Err(error),
    }
    let mut body = vec![0; length(head)?];
    from.read_exact(&mut body)?;
    Ok(Some(body))
}

pub(crate) fn write(to: &mut impl Write, body: &[u8]) -> io::Result<()> {
    to.write_all(&frame(body)?)?;
    to.flush()
}

/// Head and body in one piece, so that one write carries both.
pub(crate) fn frame(body: &[u8]) -> io::Result<Vec<u8>> {
    let length = u32::try_from(body.len()).ok().filter(|_| body.len() <= FRAME_BYTES_MAX);
    let length = length.ok_or_else(too_large)?;
    let mut out = Vec::with_capacity(body.len() + 4);
    out.extend_from_slice(&length.to_le_bytes());
    out.extend_from_slice(body);
    Ok(out)
}

pub(crate) fn length(head: [u8; 4]) -> io::Result<usize> {
    let length = usize::try_from(u32::from_le_bytes(head)).map_err(|_| too_large())?;
    if length <= FRAME_BYTES_MAX { Ok(length) } else { Err(too_large()) }
}

fn too_large() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the message is too large")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let mut pipe = Vec::new();
        write(&mut pipe, b"one").expect("written");
        write(&mut pipe, b"").expect("written");
        let mut from = pipe.as_slice();
        assert_eq!(read(&mut from).expect("read"), Some(b"one".to_vec()));
        assert_eq!(read(&mut from).expect("read"), Some(Vec::new()));
        assert_eq!(read(&mut from).expect("read"), None);
    }

    #[test]
    fn cut_and_oversized_messages_are_errors() {
        assert!(read(&mut [3, 0, 0, 0, 1].as_slice()).is_err());
        assert!(read(&mut [255, 255, 255, 255].as_slice()).is_err());
    }
}
