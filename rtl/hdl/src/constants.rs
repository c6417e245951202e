//! Groups of constants.

/// Declares constants of one width that belong together, such as the codes of a field. A block has the group as one of
/// its fields, and its kernel reads `self.group.name.val()`; its module has those that it reads.
///
/// # Panics
/// The default of the group, if a constant has more bits.
#[macro_export]
macro_rules! constants {
    (
        $(#[$about:meta])*
        pub struct $group:ident: $bits:literal { $($(#[$meaning:meta])* $name:ident = $value:expr,)* }
    ) => {
        $(#[$about])*
        #[derive(Clone, Debug)]
        pub struct $group {
            $($(#[$meaning])* pub $name: Constant<Bits<$bits>>,)*
        }

        impl Default for $group {
            fn default() -> Self {
                Self { $($name: $crate::primitive::constant($value),)* }
            }
        }

        impl Logic for $group {
            fn update(&mut self) {}

            fn connect(&mut self) {}
        }

        impl Block for $group {
            fn connect_all(&mut self) {}

            fn update_all(&mut self) {}

            fn has_changed(&self) -> bool {
                false
            }

            fn accept(&self, name: &str, probe: &mut dyn Probe) {
                probe.visit_start_namespace(name, self);
                $(self.$name.accept(stringify!($name), probe);)*
                probe.visit_end_namespace(name, self);
            }
        }
    };
}
