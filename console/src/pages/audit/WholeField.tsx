import { SelectField } from '../../components/fields.js';

interface WholeFieldProps {
  readonly name: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

const choices = [
  { id: 'project', title: 'This project' },
  { id: 'organization', title: 'The whole organization' },
] as const;

/** Of what: the project, which is what an empty value means, or all of its organization. */
export const WholeField = ({ name, value, onChange }: WholeFieldProps) => (
  <SelectField
    name={name}
    label="Of"
    choices={choices}
    value={value || 'project'}
    onChange={(id) => onChange(id === 'project' ? '' : id)}
  />
);
