import { useQuery } from '@tanstack/react-query';
import type { components } from '@roomwire/server';
import { answerOf } from '../api/failure.js';
import { rowsOf } from '../api/pages.js';
import { useProject } from '../session/console.js';
import { SuggestField, type SuggestFieldProps } from './SuggestField.js';

type Actor = components['schemas']['Actor'];

const shownActors = 20;
const idPattern = /^[\da-f]{8}-[\da-f-]{27}$/i;

/** An actor by its id, or whatever else names one to the service; those that the project has are found by a part of their name. */
export const ActorSuggest = (props: SuggestFieldProps) => {
  const { api, projectId } = useProject();
  const { value, description } = props;
  const isId = idPattern.test(value);
  const found = useQuery({
    queryKey: [projectId, 'actors', 'named', value],
    queryFn: async () => {
      const query = { limit: shownActors, ...(value === '' ? {} : { name: value }) };
      return rowsOf<Actor>(await answerOf(api.GET('/actors', { params: { query } })));
    },
    enabled: !isId,
    placeholderData: (before) => before,
  });
  const chosen = useQuery({
    queryKey: [projectId, 'actor', value],
    queryFn: () => answerOf(api.GET('/actors/{actorId}', { params: { path: { actorId: value } } })),
    enabled: isId,
    retry: false,
  });
  return (
    <SuggestField
      {...props}
      description={isId && chosen.data ? `${chosen.data.name}, ${chosen.data.actorType}` : description}
      suggestions={(isId ? [] : (found.data ?? [])).map(({ actorTokenId, name, actorType }) => ({
        value: actorTokenId,
        title: name,
        description: actorType,
      }))}
    />
  );
};
