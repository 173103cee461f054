import type { StepShape } from '../../scenario/parseScenarios.js';
import type { Fields } from '../../scenario/match.js';
import type { Stage } from '../stage.js';

/** A kind of step: its fields, and what it does. It throws where something is not as the fields say. */
export interface StepKind extends StepShape {
  /** The variables in the fields are filled in. */
  run(stage: Stage, fields: Fields): Promise<void>;
}

export type StepKinds = Readonly<Record<string, StepKind>>;
