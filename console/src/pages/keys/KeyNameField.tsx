import { TextField } from '../../components/fields.js';

interface KeyNameFieldProps {
  /** The key that is rotated. */
  readonly like: { readonly name: string } | undefined;
}

/** The new key of a rotation is named after the one before it, with its day. */
export const KeyNameField = ({ like }: KeyNameFieldProps) => (
  <TextField
    name="name"
    label="Name"
    defaultValue={like && `${like.name}, from ${new Date().toISOString().slice(0, 10)}`}
    isRequired
    autoFocus
    autoComplete="off"
  />
);
