import { exposesTopic } from '@roomwire/shared/domain/admission';
import { auditKeys } from '@roomwire/shared/wire/audit/auditKeys';
import { historyOf, type HistoryBounds } from '@roomwire/shared/domain/topicHistory';
import type { Scope } from '@roomwire/shared/domain/scope';
import { internalRoom, internalTopic, parseTopicAddress } from '@roomwire/shared/domain/topic';
import type { HistoryTopic } from '@roomwire/shared/ports/history';
import type { ViewReader } from '@roomwire/shared/ports/viewStore';
import type { PastRecords } from '../explain/pastRecords.js';
import { Rejection } from '../handling/rejections.js';
import { validationError } from '../http/errors.js';
import { isUuid } from '../http/request.js';

/** The topic that is asked about, in one scope or outside of all. */
export interface TracedTopic {
  readonly organizationId: string;
  readonly projectId: string;
  /** `app-slug/room-slug/topic-name`. */
  readonly address: string;
  /** `app-slug/room-slug`. */
  readonly place: string;
  readonly scope: Pick<Scope, 'accessScopeId' | 'slug'> | undefined;
  /** Internal. */
  readonly room: string;
  /** Internal. */
  readonly topic: string;
  /** Whether the app and the room have it. */
  readonly exists: boolean;
  /** Undefined where the topic has no history. */
  readonly record: { readonly topic: HistoryTopic; readonly bounds: HistoryBounds } | undefined;
}

interface Asked {
  readonly organizationId: string;
  readonly projectId: string;
  readonly topic: string;
  /** An `accessScopeId` or a slug. */
  readonly scope?: string | undefined;
}

/** As it was at the time of the records. */
export const tracedTopic = async (
  views: ViewReader,
  records: PastRecords,
  { organizationId, projectId, topic: address, scope: asked }: Asked,
): Promise<TracedTopic> => {
  const parts = parseTopicAddress(address);
  if (parts === undefined)
    throw validationError([
      { path: 'topic', value: address, message: 'must be app-slug/room-slug/topic-name' },
    ]);
  const scope =
    asked === undefined || asked === '' ? undefined : await scopeOf(views, records, projectId, asked);
  const room = internalRoom(projectId, scope?.slug ?? null, parts.app, parts.room);
  const app = (await records.named('apps', auditKeys.appSlug(projectId, parts.app), parts.app)).value;
  const found =
    app && (await records.named('rooms', auditKeys.roomSlug(app.appId, parts.room), parts.room)).value;
  const bounds = app && historyOf(app.topicConfigs, parts.topic);
  return {
    ...{ organizationId, projectId, address, scope, room },
    place: `${parts.app}/${parts.room}`,
    topic: internalTopic(room, parts.topic),
    exists: app !== undefined && found !== undefined && exposesTopic(app, found, parts.topic),
    record: found &&
      bounds && {
        topic: { roomId: found.roomId, accessScopeId: scope?.accessScopeId ?? null, name: parts.topic, room },
        bounds,
      },
  };
};

/** Of the project, at the time; a slug is that of one that there is now. */
const scopeOf = async (
  views: ViewReader,
  records: PastRecords,
  projectId: string,
  asked: string,
): Promise<Pick<Scope, 'accessScopeId' | 'slug'>> => {
  const [scope] = isUuid(asked)
    ? [(await records.get('scopes', asked.toLowerCase())).value]
    : await views.find('scopes', { filter: { projectId, slug: asked }, limit: 1 });
  if (scope?.projectId !== projectId) throw new Rejection('scope_not_found', { accessScopeId: asked });
  return scope;
};
