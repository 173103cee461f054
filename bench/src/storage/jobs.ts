import type { Measurement } from '../measure/comparison.js';
import type { Owner } from './history.js';

export type Engine = 'eventLog' | 'lmdb';

export type StorageJob =
  | { readonly kind: 'open'; readonly engine: Engine; readonly folder: string }
  | { readonly kind: 'fill'; readonly owner: Owner; readonly apps: number; readonly events: number }
  | {
      readonly kind: 'append';
      readonly writers: number;
      readonly warmUpSeconds: number;
      readonly seconds: number;
    }
  | { readonly kind: 'readAll'; readonly warmUpSeconds: number; readonly seconds: number }
  | { readonly kind: 'close' };

/** Empty where there is nothing to tell. */
export type StorageResult = Measurement;
