import { useFilters } from '../../app/useFilters.js';
import { TextField } from '../../components/fields.js';
import { EmptyState } from '../../components/EmptyState.js';
import { FilterForm } from '../../components/FilterForm.js';
import { TimeField } from '../../components/TimeField.js';
import { Timeline } from '../../components/Timeline.js';
import { AuditHeader } from './AuditHeader.js';
import { ChangeEntry } from './ChangeEntry.js';
import { changeFilters, useChanges } from './queries.js';
import { WholeField } from './WholeField.js';

export const ChangesPage = () => {
  const filters = useFilters(changeFilters);
  const changes = useChanges(filters.query);
  return (
    <>
      <AuditHeader title="Audit">
        Every change of the control plane, the newest first: what, when, and who asked for it.
      </AuditHeader>
      <FilterForm
        label="Find changes"
        filters={filters}
        error={changes.error}
        askAgain={() => changes.refetch()}
      >
        {(field) => (
          <>
            <TextField
              {...field('resourceId')}
              label="Record"
              description="The id of an app, a room, an actor, …"
              isCode
            />
            <TextField
              {...field('principal')}
              label="Principal"
              description="Who asked: session:ada, apiKey:ak_live_…"
              isCode
            />
            <TextField {...field('type')} label="Type" description="For example RoomUpdated" isCode />
            <TimeField {...field('from')} label="From" />
            <TimeField {...field('to')} label="To" />
            <WholeField {...field('of')} />
          </>
        )}
      </FilterForm>
      <Timeline
        label="Changes"
        query={changes}
        keyOf={({ eventId }) => eventId}
        timeOf={({ occurredAt }) => occurredAt}
        entry={(change) => <ChangeEntry change={change} />}
        more="Earlier changes"
        empty={
          <EmptyState title="No such change">
            Nothing was changed in this time by whom you look for. Changes of the organization itself, and of
            its other projects, are found in the whole organization.
          </EmptyState>
        }
      />
    </>
  );
};
