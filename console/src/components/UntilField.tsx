import { TextField } from './fields.js';

/** Until when what is made is valid: the field `expiresAt`, which `values.time` reads. */
export const UntilField = () => (
  <TextField
    name="expiresAt"
    label="Until"
    description="In your own time; for good without one."
    type="datetime-local"
  />
);
