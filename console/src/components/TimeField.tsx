import { Input, Label, TextField } from 'react-aria-components';
import { FieldFoot } from './FieldFoot.js';
import { useFieldProblem } from './fieldProblems.js';
import { localTime, utcTime } from './localTime.js';

interface TimeFieldProps {
  readonly name: string;
  readonly label: string;
  readonly description?: string;
  /** ISO 8601, empty for none. */
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly isRequired?: boolean;
}

/** A time to the millisecond, of the reader's own time zone. ISO 8601, as logs and answers have it, can be pasted. */
export const TimeField = (props: TimeFieldProps) => {
  const { name, label, description, value, onChange, isRequired = false } = props;
  const problem = useFieldProblem(name);
  return (
    <TextField
      className="field"
      name={name}
      isInvalid={problem !== undefined}
      type="datetime-local"
      isRequired={isRequired}
      value={localTime(value)}
      onChange={(local) => onChange(utcTime(local))}
      onPaste={(event) => {
        const pasted = new Date(event.clipboardData.getData('text').trim());
        if (Number.isNaN(pasted.getTime())) return;
        event.preventDefault();
        onChange(pasted.toISOString());
      }}
    >
      <Label className="field-label">
        {label}
        {!isRequired && <span className="optional"> optional</span>}
      </Label>
      <Input className="input" step="0.001" />
      <FieldFoot description={description} problem={problem} />
    </TextField>
  );
};
