import { useState } from 'react';
import type { Filters } from '../../app/useFilters.js';
import { ActorSuggest } from '../../components/ActorSuggest.js';
import { AddressSuggest } from '../../components/AddressSuggest.js';
import { SelectField, TextField } from '../../components/fields.js';
import { FilterForm } from '../../components/FilterForm.js';
import { TimeField } from '../../components/TimeField.js';
import type { traceFields } from './queries.js';

interface TraceFormProps {
  readonly filters: Filters<(typeof traceFields)[number]>;
  readonly error: Error | null;
  readonly askAgain: () => unknown;
}

const ways = [
  { id: 'messageId', title: 'Its id' },
  { id: 'position', title: 'Its position' },
  { id: 'at', title: 'A time, without a message' },
] as const;

type Way = (typeof ways)[number]['id'];

export const TraceForm = ({ filters, error, askAgain }: TraceFormProps) => {
  const { asked } = filters;
  const [chosen, setChosen] = useState<Way>();
  const way = chosen ?? ways.find(({ id }) => asked[id] !== '')?.id ?? 'messageId';
  return (
    <FilterForm
      label="Trace a message"
      submit="Trace"
      filters={{ ...filters, ask: (values) => filters.ask({ ...values, ...othersThan(way) }) }}
      error={error}
      askAgain={askAgain}
    >
      {(field) => (
        <>
          <AddressSuggest
            {...field('topic')}
            label="Topic"
            placeholder="app/room/topic"
            upTo="topic"
            isRequired
          />
          <SelectField
            name="way"
            label="The message by"
            choices={ways}
            value={way}
            onChange={(id) => setChosen(id as Way)}
          />
          {way === 'at' ? (
            <TimeField
              {...field('at')}
              label="Time"
              description="What would have become of a message then"
              isRequired
            />
          ) : (
            <TextField
              {...field(way)}
              label={way === 'messageId' ? 'Message id' : 'Position'}
              description={
                way === 'messageId'
                  ? 'meta.id: what its publisher named it by'
                  : 'meta.position, of the history'
              }
              isRequired
              isCode
            />
          )}
          <ActorSuggest
            {...field('actorId')}
            label="Actor"
            description="All that were in the room, where nobody is named"
          />
          <TextField {...field('scope')} label="Scope" description="The slug or the id of a scope" isCode />
        </>
      )}
    </FilterForm>
  );
};

/** One names the message. */
const othersThan = (way: Way): Partial<Record<Way, ''>> =>
  Object.fromEntries(ways.filter(({ id }) => id !== way).map(({ id }) => [id, '']));
