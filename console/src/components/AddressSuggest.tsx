import { useQuery } from '@tanstack/react-query';
import type { components } from '@roomwire/server';
import { answerOf } from '../api/failure.js';
import { rowsOf } from '../api/pages.js';
import { useProject, type OpenProject } from '../session/console.js';
import { SuggestField, type SuggestFieldProps, type Suggestion } from './SuggestField.js';

type Room = components['schemas']['Room'];

const shownEntries = 50;

interface AddressSuggestProps extends SuggestFieldProps {
  /** Up to which part of `app/room/topic` it goes. */
  readonly upTo: 'room' | 'topic';
}

/** `app/room/topic`, part by part, of what the project has. */
export const AddressSuggest = ({ upTo, ...props }: AddressSuggestProps) => {
  const project = useProject();
  const [app = '', room, topic] = props.value.split('/');
  const part = topic === undefined ? (room === undefined ? 'app' : 'room') : 'topic';
  const found = useQuery({
    queryKey: [project.projectId, 'addresses', part, app, part === 'topic' ? room : ''],
    queryFn: () => suggestions(project, app, part === 'app' ? undefined : (room ?? ''), part),
    enabled: part !== 'topic' || upTo === 'topic',
    placeholderData: (before) => before,
  });
  const entered = props.value.toLowerCase();
  return (
    <SuggestField
      {...props}
      suggestions={(found.data ?? []).filter(({ value }) => value.startsWith(entered) && value !== entered)}
    />
  );
};

const suggestions = async (
  project: OpenProject,
  appSlug: string,
  roomSlug: string | undefined,
  part: 'app' | 'room' | 'topic',
): Promise<readonly Suggestion[]> => {
  const { api } = project;
  const query = { limit: shownEntries };
  const apps = await answerOf(api.GET('/apps', { params: { query } }));
  if (part === 'app')
    return apps.data.map(({ slug, name }) => ({ value: `${slug}/`, title: slug, description: name }));
  const app = apps.data.find(({ slug }) => slug === appSlug);
  if (app === undefined) return [];
  const path = { appId: app.appId };
  const rooms = rowsOf<Room>(await answerOf(api.GET('/apps/{appId}/rooms', { params: { path, query } })));
  if (part === 'room')
    return rooms.map(({ slug, name }) => ({
      value: `${appSlug}/${slug}`,
      title: slug,
      description: name,
    }));
  const topics = rooms.find(({ slug }) => slug === roomSlug)?.topics ?? app.topics;
  return topics.map((topic) => ({ value: `${appSlug}/${roomSlug}/${topic}`, title: topic }));
};
