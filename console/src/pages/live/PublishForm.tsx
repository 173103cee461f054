import { useState } from 'react';
import { ApiFailure, answerOf } from '../../api/failure.js';
import { CodeDisclosure } from '../../components/CodeDisclosure.js';
import { CheckboxField, TextField } from '../../components/fields.js';
import { Form } from '../../components/Form.js';
import { Identifier } from '../../components/Identifier.js';
import { useProject } from '../../session/console.js';
import type { Spot } from './model.js';
import { publishSnippets } from './snippets.js';

interface Accepted {
  readonly id: string;
  readonly position?: string;
  readonly duplicate?: boolean;
}

const firstText = '{ "text": "Hello" }';

interface PublishFormProps {
  readonly spot: Spot;
  /** The data alone: the rest is for later. */
  readonly isPlain?: boolean;
}

/** Publishes as a backend does: the observer of the page itself may not. */
export const PublishForm = ({ spot, isPlain = false }: PublishFormProps) => {
  const { api } = useProject();
  const { address, scope } = spot;
  const [text, setText] = useState(firstText);
  const [filter, setFilter] = useState('');
  const [accepted, setAccepted] = useState<Accepted>();
  return (
    <div className="stack">
      <Form
        submit="Publish"
        onSubmit={async (values) => {
          setAccepted(undefined);
          const id = values.optional('id');
          const body = {
            topic: address,
            data: readData(text),
            ...(scope === undefined ? {} : { scope }),
            ...(filter.trim() === '' ? {} : { filter: filter.trim() }),
            ...(id === undefined ? {} : { id }),
            ...(values.flag('retain') ? { retain: true } : {}),
          };
          setAccepted((await answerOf(api.POST('/publish', { body }))) as Accepted);
        }}
      >
        <TextField
          name="data"
          label="Data"
          rows={5}
          value={text}
          onChange={setText}
          description="Any JSON. A text needs quotes."
          {...{ isCode: true, isRequired: true }}
        />
        {!isPlain && (
          <>
            <div className="field-row">
              <TextField
                name="filter"
                label="Filter"
                value={filter}
                onChange={setFilter}
                autoComplete="off"
                isCode
              />
              <TextField
                name="id"
                label="Message id"
                description="Of several with one id, one is delivered."
                {...{ autoComplete: 'off', isCode: true }}
              />
            </div>
            <CheckboxField
              name="retain"
              label="Keep as the last value"
              description="Whoever subscribes later gets it first."
            />
          </>
        )}
      </Form>
      <div role="status">
        {accepted && (
          <p className="published">
            {accepted.duplicate ? 'Published before, with the same id:' : 'Published:'}{' '}
            <Identifier value={accepted.id} what="the message id" />
          </p>
        )}
      </div>
      <CodeDisclosure
        label="Publish this"
        snippets={publishSnippets(spot, { text, filter: filter.trim() })}
      />
    </div>
  );
};

const readData = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    const message = `This is not JSON. A text needs quotes of its own: ${JSON.stringify(text.trim() || 'hello')}`;
    throw new ApiFailure(0, 'Nothing was published', [{ path: 'data', message }]);
  }
};
