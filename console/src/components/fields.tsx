import { Check, ChevronDown } from 'lucide-react';
import {
  Button,
  Checkbox,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  Select,
  SelectValue,
  Text,
  TextArea,
  TextField as AriaTextField,
} from 'react-aria-components';
import { FieldFoot } from './FieldFoot.js';
import { useFieldProblem } from './fieldProblems.js';

interface FieldProps {
  /** The path of the request's field. */
  readonly name: string;
  readonly label: string;
  /** What the field means, in a sentence. */
  readonly description?: string | undefined;
  readonly isRequired?: boolean;
  readonly isDisabled?: boolean;
}

interface TextFieldProps extends FieldProps {
  readonly defaultValue?: string | undefined;
  readonly value?: string;
  readonly onChange?: (value: string) => void;
  readonly type?: 'text' | 'password' | 'number' | 'url' | 'datetime-local' | 'search';
  readonly placeholder?: string;
  readonly autoComplete?: string;
  /** Lines that are shown; with it several may be entered. */
  readonly rows?: number;
  /** In a type of equal widths: ids, addresses, JSON. */
  readonly isCode?: boolean;
  readonly autoFocus?: boolean;
  /** Narrows what is shown, and is sent nowhere. */
  readonly isFilter?: boolean;
  readonly min?: number;
  readonly max?: number;
}

/** The library's own props do not take undefined for absent. */
const given = <T extends object>(props: T): { [Name in keyof T]: Exclude<T[Name], undefined> } =>
  Object.fromEntries(Object.entries(props).filter(([, value]) => value !== undefined)) as never;

export const TextField = (props: TextFieldProps) => {
  const {
    label,
    description,
    rows,
    isCode = false,
    isFilter = false,
    placeholder,
    autoComplete,
    min,
    max,
    type,
    ...field
  } = props;
  const input = given({ placeholder, autoComplete, min, max, className: isCode ? 'input code' : 'input' });
  const problem = useFieldProblem(field.name);
  return (
    <AriaTextField
      className="field"
      isInvalid={problem !== undefined}
      {...given(field)}
      {...(rows === undefined ? given({ type }) : {})}
    >
      <FieldLabel label={label} isOptional={!field.isRequired && !isFilter} />
      {rows === undefined ? <Input {...input} /> : <TextArea {...input} rows={rows} spellCheck={!isCode} />}
      <FieldFoot description={description} problem={problem} />
    </AriaTextField>
  );
};

const FieldLabel = ({ label, isOptional }: { readonly label: string; readonly isOptional: boolean }) => (
  <Label className="field-label">
    {label}
    {isOptional && <span className="optional"> optional</span>}
  </Label>
);

export interface Choice {
  readonly id: string;
  readonly title: string;
  readonly description?: string;
}

interface SelectFieldProps extends FieldProps {
  readonly choices: readonly Choice[];
  readonly defaultValue?: string | undefined;
  readonly value?: string;
  readonly onChange?: (id: string) => void;
  /** For who sees that it is plain from where the field stands. */
  readonly isLabelHidden?: boolean;
}

export const SelectField = (props: SelectFieldProps) => {
  const { label, description, choices, defaultValue, value, onChange, isLabelHidden, ...field } = props;
  const problem = useFieldProblem(field.name);
  return (
    <Select
      className="field"
      isInvalid={problem !== undefined}
      {...given(field)}
      {...given({ defaultValue, value })}
      {...(onChange === undefined ? {} : { onChange: (key) => key !== null && onChange(String(key)) })}
    >
      <Label className={isLabelHidden ? 'visually-hidden' : 'field-label'}>{label}</Label>
      <Button className="input select">
        <SelectValue />
        <ChevronDown aria-hidden size={14} />
      </Button>
      <FieldFoot description={description} problem={problem} />
      <Popover className="popover">
        <ListBox>
          {choices.map(({ id, title, description: detail }) => (
            <ListBoxItem key={id} id={id} textValue={title}>
              <Text slot="label">{title}</Text>
              {detail !== undefined && <Text slot="description">{detail}</Text>}
            </ListBoxItem>
          ))}
        </ListBox>
      </Popover>
    </Select>
  );
};

interface CheckboxFieldProps extends FieldProps {
  readonly defaultSelected?: boolean;
  readonly isSelected?: boolean;
  readonly onChange?: (isSelected: boolean) => void;
}

export const CheckboxField = ({ label, description, ...field }: CheckboxFieldProps) => (
  <div className="field">
    <Checkbox className="checkbox" {...given(field)} value="on">
      <span className="checkbox-box" aria-hidden>
        <Check size={12} strokeWidth={3} />
      </span>
      <span>
        {label}
        {description !== undefined && <span className="field-description">{description}</span>}
      </span>
    </Checkbox>
  </div>
);
