/**
 * What a cluster has to do with. `before`: nothing has happened yet. `take-over`: a broker has just gone. `broker away`: others
 * lead in its place. `calm`: all that happened has been put right for a while.
 */
export const phases = ['before', 'take-over', 'broker away', 'calm'] as const;
export type Phase = (typeof phases)[number];

/** Nothing is wrong, so that nothing may be refused. */
export const isQuiet = (phase: Phase | undefined): boolean => phase === 'before' || phase === 'calm';

/** How a run goes on; everybody who takes part reads it. */
export interface Course {
  /** Undefined: nothing is expected of what begins now. */
  readonly phase: Phase | undefined;
}
