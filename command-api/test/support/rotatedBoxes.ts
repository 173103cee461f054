import { createSecretBox } from '@roomwire/shared/credentials/secretBox';

const [oldKey, newKey] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];

/** Before, during and after a rotation of the master key. */
export const oldBox = createSecretBox({ current: oldKey });
export const bothBox = createSecretBox({ current: newKey, previous: [oldKey] });
export const newBox = createSecretBox({ current: newKey });
