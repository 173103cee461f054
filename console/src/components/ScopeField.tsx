import { useQuery } from '@tanstack/react-query';
import { answerOf } from '../api/failure.js';
import { useProject } from '../session/console.js';
import { SelectField } from './fields.js';

interface ScopeFieldProps {
  readonly name: string;
  readonly label: string;
  readonly description?: string;
  /** An accessScopeId; null for none. */
  readonly defaultValue?: string | null;
  readonly onChange?: (accessScopeId: string | null) => void;
}

const none = 'none';

/** What a `ScopeField` holds; null for no scope. */
export const scopeGiven = (value: string): string | null => (value === none || value === '' ? null : value);

/** One of the project's scopes, at most the first hundred by name, or none. */
export const ScopeField = ({ defaultValue, onChange, ...field }: ScopeFieldProps) => {
  const { api, projectId } = useProject();
  const { data = [] } = useQuery({
    queryKey: [projectId, 'scopes', 'choices'],
    queryFn: async () => {
      const query = { limit: 100, 'orderBy[]': ['name:ASC'] };
      return (await answerOf(api.GET('/scopes', { params: { query } }))).data;
    },
  });
  const scopes = data.map(({ accessScopeId, name, slug }) => ({
    id: accessScopeId,
    title: name,
    description: slug,
  }));
  return (
    <SelectField
      {...field}
      choices={[{ id: none, title: 'None' }, ...scopes]}
      defaultValue={defaultValue ?? none}
      {...(onChange === undefined ? {} : { onChange: (id: string) => onChange(scopeGiven(id)) })}
    />
  );
};
