import { TextField } from './fields.js';

interface NameSearchProps {
  /** What is searched: `actors`. */
  readonly name: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Narrows a table to the rows with a part of a name. */
export const NameSearch = ({ name, value, onChange }: NameSearchProps) => (
  <div className="table-search">
    <TextField
      name={name}
      label="A part of the name"
      type="search"
      value={value}
      onChange={onChange}
      isFilter
    />
  </div>
);
