import { useState } from 'react';
import { answerOf } from '../../api/failure.js';
import { CodeSnippet } from '../../components/CodeSnippet.js';
import { TextField } from '../../components/fields.js';
import { Form } from '../../components/Form.js';
import { Secret } from '../../components/Secret.js';
import { useProject } from '../../session/console.js';
import type { Spot } from '../live/model.js';
import { clientSnippets } from './snippets.js';

/** An actor, and what runs with its token. */
export const OwnClientStep = ({ spot }: { readonly spot: Spot }) => {
  const { api } = useProject();
  const [token, setToken] = useState<string>();
  return (
    <div className="stack">
      {token === undefined ? (
        <Form
          submit="Make an actor"
          onSubmit={async (values) => {
            const actor = await answerOf(
              api.POST('/actors', { body: { name: values.text('name'), actorType: 'user' } }),
            );
            setToken(actor.accessToken);
          }}
        >
          <TextField
            name="name"
            label="Name"
            defaultValue="Ann"
            description="Whoever connects is an actor, with a token of its own."
            {...{ isRequired: true, autoComplete: 'off' }}
          />
        </Form>
      ) : (
        <>
          <Secret label="Access token of the actor" value={token} />
          <p>
            Run this in a terminal with that token, then publish once more above: the message comes there as
            well.
          </p>
          <CodeSnippet label="A client of your own" snippets={clientSnippets(spot)} />
        </>
      )}
    </div>
  );
};
