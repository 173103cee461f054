import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { answerOf } from '../../api/failure.js';
import { useFilters } from '../../app/useFilters.js';
import { ActorSuggest } from '../../components/ActorSuggest.js';
import { AddressSuggest } from '../../components/AddressSuggest.js';
import { EmptyState } from '../../components/EmptyState.js';
import { SelectField } from '../../components/fields.js';
import { FilterForm } from '../../components/FilterForm.js';
import { Loading } from '../../components/Loading.js';
import { PageHeader } from '../../components/PageHeader.js';
import { Problem } from '../../components/Problem.js';
import { TimeField } from '../../components/TimeField.js';
import { useProject } from '../../session/console.js';
import { Answer } from './Answer.js';

const names = ['actor', 'address', 'action', 'at'] as const;

const actions = [
  { id: 'subscribe', title: 'Subscribe' },
  { id: 'publish', title: 'Publish' },
] as const;

/** Whether an actor may do something at an address, now or at a past time, and what says so. */
export const ExplainPage = () => {
  const { sessionApi, organizationId } = useProject();
  const filters = useFilters(names);
  const { actor = '', address = '', at } = filters.query;
  const action = filters.query.action === 'publish' ? 'publish' : 'subscribe';
  const isAsked = actor !== '' && address !== '';
  const query = { actor, address, action, ...(at === undefined ? {} : { at }) } as const;
  const explanation = useQuery({
    queryKey: [organizationId, 'explain', query],
    queryFn: () => {
      const params = { path: { orgId: organizationId }, query };
      return answerOf(sessionApi.GET('/organizations/{orgId}/explain', { params }));
    },
    enabled: isAsked,
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <PageHeader title="Explain access">
        May an actor subscribe or publish there? The rule that decides, and the change that made it so.
      </PageHeader>
      <FilterForm
        label="Explain access"
        submit="Explain"
        filters={filters}
        error={explanation.error}
        askAgain={() => explanation.refetch()}
      >
        {(field) => (
          <>
            <ActorSuggest
              {...field('actor')}
              label="Actor"
              description="A part of its name, its id or its key id"
              isRequired
            />
            <AddressSuggest
              {...field('address')}
              label="Address"
              placeholder="app/room/topic"
              upTo="topic"
              isRequired
            />
            <ActionField {...field('action')} />
            <TimeField {...field('at')} label="At" description="Now, where nothing is given" />
          </>
        )}
      </FilterForm>
      {!isAsked ? (
        <EmptyState title="Who, and where?">
          Name an actor and an address. The answer is by the rules that the gateways have, at that time.
        </EmptyState>
      ) : explanation.error ? (
        <Problem error={explanation.error} retry={explanation.refetch} />
      ) : explanation.data === undefined ? (
        <Loading what="the answer" />
      ) : (
        <Answer explanation={explanation.data} />
      )}
    </>
  );
};

interface ActionFieldProps {
  readonly name: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

const ActionField = ({ name, value, onChange }: ActionFieldProps) => (
  <SelectField
    name={name}
    label="Action"
    choices={actions}
    value={value || 'subscribe'}
    onChange={(id) => onChange(id === 'subscribe' ? '' : id)}
  />
);
