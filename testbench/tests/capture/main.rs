//! Captures as files hold them, whole and damaged.
mod files;
mod proptests;
mod reading;
