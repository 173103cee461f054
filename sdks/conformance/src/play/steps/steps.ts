import { backendSteps } from './backend.js';
import { connectionSteps } from './connecting.js';
import { eventSteps } from './events.js';
import { networkSteps } from './network.js';
import { requestSteps } from './requests.js';
import type { StepKind, StepKinds } from './step.js';

/** Its steps are played so many times; `{{i}}` counts from 1. The player does it. */
const repeat: StepKind = {
  required: ['times', 'steps'],
  optional: [],
  isNested: true,
  run: () => Promise.reject(new Error('A repetition is played step by step')),
};

export const stepKinds: StepKinds = {
  ...connectionSteps,
  ...requestSteps,
  ...eventSteps,
  ...networkSteps,
  ...backendSteps,
  repeat,
};
