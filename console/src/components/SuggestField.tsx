import { ComboBox, Input, Label, ListBox, ListBoxItem, Popover, Text } from 'react-aria-components';
import { FieldFoot } from './FieldFoot.js';
import { useFieldProblem } from './fieldProblems.js';

export interface Suggestion {
  /** What is entered by choosing it. */
  readonly value: string;
  readonly title: string;
  readonly description?: string | undefined;
}

export interface SuggestFieldProps {
  readonly name: string;
  readonly label: string;
  readonly description?: string | undefined;
  readonly placeholder?: string;
  readonly isRequired?: boolean;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A text, with suggestions of what to enter. */
export const SuggestField = (props: SuggestFieldProps & { readonly suggestions: readonly Suggestion[] }) => {
  const {
    name,
    label,
    description,
    placeholder = '',
    isRequired = false,
    value,
    onChange,
    suggestions,
  } = props;
  const problem = useFieldProblem(name);
  return (
    <ComboBox
      className="field"
      name={name}
      isInvalid={problem !== undefined}
      isRequired={isRequired}
      items={suggestions.map((suggestion) => ({ ...suggestion, id: suggestion.value }))}
      inputValue={value}
      onInputChange={onChange}
      onSelectionChange={(chosen) => chosen !== null && onChange(String(chosen))}
      selectedKey={null}
      defaultFilter={() => true}
      menuTrigger="focus"
      allowsCustomValue
    >
      <Label className="field-label">
        {label}
        {!isRequired && <span className="optional"> optional</span>}
      </Label>
      <Input className="input code" placeholder={placeholder} autoComplete="off" spellCheck="false" />
      <FieldFoot description={description} problem={problem} />
      <Popover className="popover">
        <ListBox<Suggestion & { readonly id: string }>>
          {({ id, title, description: detail }) => (
            <ListBoxItem id={id} textValue={id}>
              <Text slot="label">{title}</Text>
              {detail !== undefined && <Text slot="description">{detail}</Text>}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  );
};
