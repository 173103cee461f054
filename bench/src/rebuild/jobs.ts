import type { EngineAddresses } from '../engines/onEngines.js';
import type { Measurement } from '../measure/comparison.js';

/** Where log and read models are. */
export type Profile =
  | { readonly on: 'files'; readonly folder: string }
  | { readonly on: 'engines'; readonly engines: EngineAddresses };

export type RebuildJob =
  | { readonly kind: 'fill'; readonly profile: Profile; readonly events: number; readonly apps: number }
  | { readonly kind: 'rebuild'; readonly profile: Profile; readonly events: number };

/** Empty where there is nothing to tell. */
export type RebuildResult = Measurement;
