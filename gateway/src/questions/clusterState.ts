import { EngineUnavailable } from '@roomwire/shared/ports/errors';
import type {
  LiveState,
  PresencePage,
  PresenceQuery,
  PresentActor,
  RoomOccupancy,
} from '@roomwire/shared/ports/liveState';
import { mergedActorImpact, mergedImpact } from '@roomwire/shared/ports/impact';
import { limitTable } from '@roomwire/shared/wire/limits/limitTable';
import { askedActorImpacts, askedImpacts } from './impactAnswers.js';
import type { AnswerTo, Questions } from './questions.js';

type Asking = Pick<Questions, 'askOne' | 'askAll'>;

/** For a gateway: it knows all presences, and asks the others for their subscribers. */
export const stateOfGateways = (own: LiveState, questions: Asking): LiveState => ({
  presencePage: (query) => own.presencePage(query),

  async occupancy(rooms) {
    const [known, others] = await Promise.all([
      own.occupancy(rooms),
      questions.askAll({ kind: 'occupancy', rooms }),
    ]);
    return known.map(({ present, subscribers }, at) => ({
      present,
      subscribers: subscribers + subscribersAt(at, others),
    }));
  },

  async impact(query) {
    const [known, others] = await Promise.all([own.impact(query), askedImpacts(questions, query)]);
    return mergedImpact([known, ...others], limitTable.impactOfGateway.value);
  },

  async actorImpact(query) {
    const [known, others] = await Promise.all([own.actorImpact(query), askedActorImpacts(questions, query)]);
    return mergedActorImpact([known, ...others], limitTable.impactOfGateway.value);
  },
});

/** For a process that is no gateway. */
export const askedState = (questions: Asking): LiveState => ({
  async presencePage(query: PresenceQuery): Promise<PresencePage> {
    const { present, next } = await questions.askOne({ kind: 'presence', ...query });
    return {
      present: present.map(([actorTokenId, presence, joinedAt]): PresentActor => ({
        actorTokenId,
        presence,
        joinedAt,
      })),
      next,
    };
  },

  async occupancy(rooms): Promise<readonly RoomOccupancy[]> {
    const all = await questions.askAll({ kind: 'occupancy', rooms });
    const known = all.find(({ knowsPresences }) => knowsPresences);
    if (known === undefined) throw new EngineUnavailable('live state');
    return known.rooms.map(([present], at) => ({ present, subscribers: subscribersAt(at, all) }));
  },

  impact: async (query) =>
    mergedImpact(await askedImpacts(questions, query), limitTable.impactOfGateway.value),

  actorImpact: async (query) =>
    mergedActorImpact(await askedActorImpacts(questions, query), limitTable.impactOfGateway.value),
});

const subscribersAt = (at: number, answers: readonly AnswerTo<'occupancy'>[]): number =>
  answers.reduce((sum, { rooms }) => sum + (rooms[at]?.[1] ?? 0), 0);
