import { useQuery } from '@tanstack/react-query';
import { isMissing } from '../../../api/failure.js';
import { Identifier } from '../../../components/Identifier.js';
import { Loading } from '../../../components/Loading.js';
import { PageHeader } from '../../../components/PageHeader.js';
import { Problem } from '../../../components/Problem.js';
import { Time } from '../../../components/Time.js';
import { useProject } from '../../../session/console.js';
import { Gone } from '../Gone.js';
import type { App } from '../model.js';
import { appQuery } from '../queries.js';
import { StatusBadge } from '../../../components/StatusBadge.js';
import { AppActions } from './AppActions.js';
import { AppConfiguration } from './AppConfiguration.js';
import { AppRooms } from './AppRooms.js';
import { AppTopics } from './AppTopics.js';

export const AppPage = ({ appId }: { readonly appId: string }) => {
  const app = useQuery(appQuery(useProject(), appId));
  if (app.isPending) return <Loading what="the app" />;
  if (app.isError)
    return isMissing(app.error) ? (
      <Gone what="app" up={{ href: '/', title: 'Apps' }} />
    ) : (
      <Problem error={app.error} retry={app.refetch} />
    );
  return <Shown app={app.data} />;
};

const Shown = ({ app }: { readonly app: App }) => (
  <>
    <PageHeader
      title={app.name}
      up={{ href: '/', title: 'Apps' }}
      aside={<StatusBadge status={app.status} />}
      actions={<AppActions app={app} />}
    >
      {app.description ?? undefined}
    </PageHeader>
    <dl className="facts panel">
      <dt>Addresses</dt>
      <dd>
        <code>{app.slug}/room/topic</code>
      </dd>
      <dt>App id</dt>
      <dd>
        <Identifier value={app.appId} what="the app id" />
      </dd>
      {app.blueprintId !== null && (
        <>
          <dt>Blueprint</dt>
          <dd>
            <Identifier value={app.blueprintId} what="the blueprint id" /> version {app.blueprintVersion}
          </dd>
        </>
      )}
      <dt>Changed</dt>
      <dd>
        <Time at={app.updatedAt} />
      </dd>
    </dl>
    <AppRooms app={app} />
    <AppTopics app={app} />
    <AppConfiguration app={app} />
  </>
);
