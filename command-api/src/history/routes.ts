import { historyOf } from '@roomwire/shared/domain/topicHistory';
import { isBehind } from '@roomwire/shared/history/boundedView';
import { readPage, type PageRequest } from '@roomwire/shared/history/historyPage';
import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import { endOf, type History, type HistoryView } from '@roomwire/shared/ports/history';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import { positionOf } from '@roomwire/shared/wire/protocol/position';
import { Rejection } from '../handling/rejections.js';
import { validationError } from '../http/errors.js';
import { projectContext, projectRoute, type ResourceDeps, type Route } from '../http/route.js';
import { roomsTarget } from '../rooms/decider.js';
import { findTopic } from './historyTopics.js';
import {
  deletedQuerySchema,
  exampleHistory,
  historyQuerySchema,
  historySchema,
  limitOf,
  presentGap,
  presentMessage,
  type HistoryQuery,
} from './resource.js';

export interface HistoryDeps {
  /** Undefined while this process cannot read it. */
  readonly history: () => History | undefined;
}

const path = '/apps/{appId}/rooms/{roomId}/topics/{topic}/messages';

export const historyRoutes = ({
  commands,
  views,
  history,
}: Pick<ResourceDeps, 'commands' | 'views'> & HistoryDeps): readonly Route[] => [
  projectRoute({
    method: 'get',
    path,
    operationId: 'listMessages',
    permission: 'history:read',
    tag: 'Message history',
    summary: 'Read the messages that a topic keeps, newest first; oldest first behind a position',
    query: historyQuerySchema,
    status: 200,
    answer: historySchema,
    example: { answer: exampleHistory },
    rejections: ['app_not_found', 'room_not_found', 'topic_not_found', 'scope_not_found', 'history_disabled'],
    async handle({ query, now, ...request }) {
      const { topic, app } = await findTopic(views, request, query.scope);
      const bounds = historyOf(app.topicConfigs, topic.name);
      if (bounds === undefined) throw new Rejection('history_disabled', { topic: topic.name });
      const asked = pageRequest(query);
      const view = await available(history()).look(topic);
      const { messages, next, gap } = await readPage(topic, view, bounds, asked, Date.parse(now));
      return {
        data: messages.map((kept) => presentMessage(topic, kept)),
        ...(next !== undefined && { next }),
        ...(gap && { gap: presentGap(gap) }),
      };
    },
  }),

  projectRoute({
    method: 'delete',
    path,
    operationId: 'deleteMessages',
    permission: 'history:write',
    tag: 'Message history',
    summary: 'Delete every message that a topic keeps, and its last value, for good',
    query: deletedQuerySchema,
    status: 204,
    rejections: ['app_not_found', 'room_not_found', 'topic_not_found', 'scope_not_found'],
    async handle(request) {
      const { topic, app } = await findTopic(views, request, request.query.scope);
      const kept = available(history());
      const view = await kept.look(topic);
      const isKept = historyOf(app.topicConfigs, topic.name) !== undefined;
      const to = endOf(view);
      const hasRecord = to.offset >= 0 && (isKept || holdsAnything(view));
      const { roomId, accessScopeId, room, name } = topic;
      const deleted = {
        ...{ appId: app.appId, roomId, accessScopeId, topic: name, room },
        upTo: hasRecord ? positionOf(topic, to) : '',
      };
      // The event first: whoever follows the log deletes again what this process was killed over. Also without a record: gateways may have a last value.
      await commands.execute(
        roomsTarget(app.appId),
        { type: 'DeleteHistory', deleted },
        projectContext(request),
      );
      if (hasRecord) await kept.deleteTopic(topic, app, to);
    },
  }),
];

const available = (history: History | undefined): History => {
  if (history === undefined) throw new EngineUnavailable('message history');
  return history;
};

const holdsAnything = ({ newest, deletedTo }: HistoryView): boolean =>
  newest !== undefined && isBehind(newest.place, deletedTo);

/** Throws a validation error for what the schema cannot express: an empty `before` is none. */
const pageRequest = (query: HistoryQuery): PageRequest => {
  const { before = '', after } = query;
  if (before !== '' && after !== undefined)
    throw validationError([
      { path: 'after', value: after, message: 'must not be given together with before' },
    ]);
  return { before, after, limit: limitOf(query), maxBytes: limitTable.historyAnswerBytes.value };
};
