import { useState } from 'react';
import { attempt } from '../../../components/attempt.js';
import { Badge } from '../../../components/Badge.js';
import { Button } from '../../../components/Button.js';
import type { Column } from '../../../components/DataTable.js';
import { EmptyState } from '../../../components/EmptyState.js';
import { PlainTable } from '../../../components/PlainTable.js';
import { useMay } from '../../../session/console.js';
import type { App, TopicConfig } from '../model.js';
import { NewTopicDialog } from './NewTopicDialog.js';
import { TopicDialog } from './TopicDialog.js';
import { removalEdit } from './topicEdits.js';
import { useAppChange } from './useAppChange.js';

interface Topic {
  readonly name: string;
  readonly config: TopicConfig;
}

const columns: readonly Column<Topic>[] = [
  { title: 'Topic', cell: ({ name }) => <code>{name}</code> },
  { title: 'History', cell: ({ config: { history } }) => <HistoryShown history={history} /> },
  {
    title: 'Settings',
    cell: ({ config: { logging, webhooks } }) => (
      <>
        {logging?.enabled && <Badge>recorded</Badge>}{' '}
        {webhooks?.onPublish && <Badge>webhook on publish</Badge>}{' '}
        {webhooks?.onSubscribe && <Badge>webhook on subscribe</Badge>}
      </>
    ),
  },
];

/** The topics that each room of the app has, with what is kept of their messages. */
export const AppTopics = ({ app }: { readonly app: App }) => {
  const [isAdding, setAdding] = useState(false);
  const [edited, setEdited] = useState<string>();
  const { change, question } = useAppChange(app);
  const mayEdit = useMay('editor');
  const rows = app.topics.map((name): Topic => ({ name, config: app.topicConfigs[name] ?? {} }));

  const remove = (name: string): Promise<void> =>
    attempt(`${name} is removed`, () => change(removalEdit(name), `Remove the topic ${name}?`));

  const add = mayEdit && <Button onPress={() => setAdding(true)}>New topic</Button>;
  const actions: Column<Topic> = {
    title: 'Actions',
    isActions: true,
    cell: ({ name }) => (
      <>
        <Button look="quiet" aria-label={`Settings of ${name}`} onPress={() => setEdited(name)}>
          Settings
        </Button>
        <Button look="quiet" aria-label={`Remove ${name}`} onPress={() => void remove(name)}>
          Remove
        </Button>
      </>
    ),
  };
  return (
    <section className="section" aria-labelledby="topics">
      <div className="panel-head">
        <h2 id="topics">Topics</h2>
        {rows.length > 0 && add}
      </div>
      <PlainTable
        label="Topics"
        columns={mayEdit ? [...columns, actions] : columns}
        keyOf={({ name }) => name}
        rows={rows}
        empty={
          <EmptyState title="No topic yet" action={add}>
            Messages go to a topic of a room. Without one nobody can publish.
          </EmptyState>
        }
      />
      <NewTopicDialog app={app} isOpen={isAdding} onClose={() => setAdding(false)} />
      {edited !== undefined && <TopicDialog app={app} topic={edited} onClose={() => setEdited(undefined)} />}
      {question}
    </section>
  );
};

const HistoryShown = ({ history }: { readonly history: TopicConfig['history'] | undefined }) => {
  if (!history) return <span className="muted">none</span>;
  const { seconds = 86_400, messages = 1_000 } = history;
  return (
    <>
      {messages.toLocaleString('en')} messages, {duration(seconds)}
    </>
  );
};

const duration = (seconds: number): string => {
  const [size, unit] =
    seconds % 86_400 === 0 ? [86_400, 'day'] : seconds % 3_600 === 0 ? [3_600, 'hour'] : [1, 'second'];
  const count = seconds / Number(size);
  return `${count.toLocaleString('en')} ${unit}${count === 1 ? '' : 's'}`;
};
