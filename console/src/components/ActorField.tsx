import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ChevronDown } from 'lucide-react';
import { Button, ComboBox, Input, Label, ListBox, ListBoxItem, Popover, Text } from 'react-aria-components';
import { answerOf } from '../api/failure.js';
import { rowsOf } from '../api/pages.js';
import { useProject } from '../session/console.js';
import { FieldFoot } from './FieldFoot.js';
import { useFieldProblem } from './fieldProblems.js';

interface ActorFieldProps {
  readonly name: string;
  readonly label: string;
  readonly description?: string;
  readonly isRequired?: boolean;
}

const shownActors = 20;

/** Finds an actor by a part of its name; its value is the actorTokenId. */
export const ActorField = ({ name, label, description, isRequired = false }: ActorFieldProps) => {
  const { api, projectId } = useProject();
  const [text, setText] = useState('');
  const problem = useFieldProblem(name);
  const { data = [] } = useQuery({
    queryKey: [projectId, 'actors', 'named', text],
    queryFn: async () => {
      const query = { limit: shownActors, ...(text === '' ? {} : { name: text }) };
      return rowsOf<ActorRow>(await answerOf(api.GET('/actors', { params: { query } })));
    },
    placeholderData: (before) => before,
  });
  return (
    <ComboBox
      className="field"
      name={name}
      formValue="key"
      isInvalid={problem !== undefined}
      isRequired={isRequired}
      items={data}
      inputValue={text}
      onInputChange={setText}
      menuTrigger="focus"
      allowsEmptyCollection
      defaultFilter={() => true}
    >
      <Label className="field-label">{label}</Label>
      <div className="combo">
        <Input className="input" placeholder="Part of its name" />
        <Button className="combo-button">
          <ChevronDown aria-hidden size={14} />
        </Button>
      </div>
      <FieldFoot description={description} problem={problem} />
      <Popover className="popover">
        <ListBox<ActorRow> renderEmptyState={() => <p className="popover-empty">No actor of this name</p>}>
          {({ actorTokenId, name: actorName, actorType }) => (
            <ListBoxItem id={actorTokenId} textValue={actorName}>
              <Text slot="label">{actorName}</Text>
              <Text slot="description">{actorType}</Text>
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  );
};

interface ActorRow {
  readonly actorTokenId: string;
  readonly name: string;
  readonly actorType: string;
}
