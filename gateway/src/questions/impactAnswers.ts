import type {
  ActorImpact,
  ActorImpactQuery,
  CutOff,
  Impact,
  ImpactQuery,
} from '@roomwire/shared/ports/impact';
import type { AnswerTo, Questions } from './questions.js';

type PackedCutOff = AnswerTo<'impact'>['cutOff'][number];

export const packedCutOff = ({ actorTokenId, address, scope, rule, connections }: CutOff): PackedCutOff => [
  actorTokenId,
  address,
  scope,
  rule,
  connections,
];

const unpackedCutOff = ([actorTokenId, address, scope, rule, connections]: PackedCutOff): CutOff => ({
  ...{ actorTokenId, address, scope, rule, connections },
});

/** Of every other gateway. */
export const askedImpacts = async (
  questions: Pick<Questions, 'askAll'>,
  { projectId, events }: ImpactQuery,
): Promise<readonly Impact[]> => {
  const question = { kind: 'impact', projectId, events: JSON.stringify(events) } as const;
  const answers = await questions.askAll(question);
  return answers.map(({ total, cutOff }) => ({ total, cutOff: cutOff.map(unpackedCutOff) }));
};

export const askedActorImpacts = async (
  questions: Pick<Questions, 'askAll'>,
  { projectId, actorTokenId, rule }: ActorImpactQuery,
): Promise<readonly ActorImpact[]> => {
  const answers = await questions.askAll({ kind: 'actorImpact', projectId, actorTokenId, rule });
  return answers.map(({ total, cutOff, connections }) => ({
    ...{ total, connections },
    cutOff: cutOff.map(unpackedCutOff),
  }));
};
