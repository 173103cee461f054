import type { ActorImpact, CutOff, Impact } from '@roomwire/shared/ports/impact';
import { tableOf } from './tables.js';

/** The answer of `POST /v1/impact`. */
export interface ImpactAnswer {
  /** The name is null for an external actor. */
  readonly data: readonly (CutOff & { readonly name: string | null })[];
  readonly total: Impact['total'];
  /** Of the change of an actor. */
  readonly connections?: ActorImpact['connections'];
}

const columns = ['name', 'address', 'scope', 'rule', 'connections', 'actorTokenId'];

/** What a change would end, as people read it: a sentence, and those that are hit most. */
export const impactText = (impact: ImpactAnswer): string => {
  const { data, total } = impact;
  const shown = data.reduce((sum, { connections }) => sum + connections, 0);
  return [
    `${sentence(impact)}\n`,
    data.length === 0
      ? ''
      : tableOf(
          data.map((row) => ({ ...row })),
          columns,
        ),
    total > shown ? `and ${counted(total - shown, 'subscription')} more\n` : '',
  ].join('');
};

const sentence = ({ total, connections = 0 }: ImpactAnswer): string => {
  if (total === 0 && connections === 0) return 'It would cut nobody off now';
  const closes = connections > 0 ? [`close ${counted(connections, 'connection')}`] : [];
  const ends = total > 0 ? [`end ${counted(total, 'subscription')}`] : [];
  return `It would ${[...closes, ...ends].join(' and ')} now`;
};

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;
