import { ChevronDown } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button, ComboBox, Input, Label, ListBox, ListBoxItem, Popover, Text } from 'react-aria-components';
import type { Choice } from './fields.js';

interface ChoiceFieldProps {
  readonly label: string;
  /** Those that fit what was typed. */
  readonly choices: readonly Choice[];
  /** The chosen one, which need not be among them. */
  readonly chosen: Choice | undefined;
  readonly onChoose: (id: string) => void;
  /** Told what to look for: empty for all. */
  readonly onSearch: (text: string) => void;
  /** Instead of choices. */
  readonly empty: string;
  readonly isDisabled?: boolean;
}

/** One of many, found by a part of its name. */
export const ChoiceField = (props: ChoiceFieldProps) => {
  const { label, choices, chosen, onChoose, onSearch, empty, isDisabled = false } = props;
  const title = chosen?.title ?? '';
  const [text, setText] = useState(title);
  useEffect(() => setText(title), [title]);
  return (
    <ComboBox
      className="field"
      items={choices}
      selectedKey={chosen?.id ?? null}
      onSelectionChange={(key) => {
        const choice = choices.find(({ id }) => id === key);
        if (choice === undefined) return;
        // At once: a text that changes later would open the list again.
        setText(choice.title);
        onChoose(choice.id);
      }}
      inputValue={text}
      onInputChange={(typed) => {
        setText(typed);
        onSearch(typed === title ? '' : typed);
      }}
      onBlur={() => {
        setText(title);
        onSearch('');
      }}
      menuTrigger="focus"
      allowsEmptyCollection
      isDisabled={isDisabled}
      defaultFilter={() => true}
    >
      <Label className="field-label">{label}</Label>
      <div className="combo">
        <Input className="input" placeholder={isDisabled ? '' : 'Choose, or type a part of its name'} />
        <Button className="combo-button">
          <ChevronDown aria-hidden size={14} />
        </Button>
      </div>
      <Popover className="popover">
        <ListBox<Choice> renderEmptyState={() => <p className="popover-empty">{empty}</p>}>
          {({ id, title: name, description }) => (
            <ListBoxItem id={id} textValue={name}>
              <Text slot="label">{name}</Text>
              {description !== undefined && <Text slot="description">{description}</Text>}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  );
};
