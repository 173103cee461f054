import type { HappenedEvent } from './eventEnvelope.js';

export const signingKeyEnvironments = ['live', 'sandbox'] as const;

export const signingKeyStatuses = ['active', 'disabled'] as const;
export type SigningKeyStatus = (typeof signingKeyStatuses)[number];

/** A secret under AES-256-GCM, with the id of the master key that opens it. Binary parts are base64url. */
export interface SealedSecret {
  readonly masterKeyId: string;
  readonly iv: string;
  readonly ciphertext: string;
  readonly tag: string;
}

export interface SigningKeyFields {
  readonly signingKeyId: string;
  readonly projectId: string;
  /** Public: `sk_<environment>_<id>`, the `kid` of client tokens. */
  readonly keyId: string;
  readonly name: string;
  /** Whether its tokens may name actors of which there is no record. */
  readonly allowExternalActors: boolean;
  /** The secret as shown, bound to the `signingKeyId`. */
  readonly sealedSecret: SealedSecret;
}

export interface SigningKey extends SigningKeyFields {
  readonly status: SigningKeyStatus;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export type SigningKeyChanges = Partial<Pick<SigningKey, 'name' | 'status' | 'allowExternalActors'>>;

export type SigningKeyEvent =
  | { readonly type: 'SigningKeyCreated'; readonly data: SigningKeyFields }
  | {
      readonly type: 'SigningKeyUpdated';
      readonly data: { readonly signingKeyId: string; readonly changes: SigningKeyChanges };
    }
  /** The same secret under another master key. */
  | {
      readonly type: 'SigningKeyResealed';
      readonly data: { readonly signingKeyId: string; readonly sealedSecret: SealedSecret };
    }
  | { readonly type: 'SigningKeyDeleted'; readonly data: { readonly signingKeyId: string } };

export const signingKeyStream = (signingKeyId: string): string => `signingKey-${signingKeyId}`;

export const createdSigningKey = (fields: SigningKeyFields, at: string): SigningKey => ({
  ...fields,
  status: 'active',
  createdAt: at,
  updatedAt: at,
});

export const evolveSigningKey = (
  key: SigningKey | undefined,
  event: HappenedEvent<SigningKeyEvent>,
): SigningKey | undefined => {
  switch (event.type) {
    case 'SigningKeyCreated':
      return createdSigningKey(event.data, event.occurredAt);
    case 'SigningKeyUpdated':
      return key && { ...key, ...event.data.changes, updatedAt: event.occurredAt };
    case 'SigningKeyResealed':
      return key && { ...key, sealedSecret: event.data.sealedSecret };
    case 'SigningKeyDeleted':
      return undefined;
  }
};
