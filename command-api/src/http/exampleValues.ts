/** Values that the examples of the API's description share, so that they fit together. */
export const exampleIds = {
  organizationId: '0b9f3f6a-52c1-4d9e-8f7b-1c2d3e4f5a60',
  projectId: '1c8e2d7b-63d2-4eaf-9a8c-2d3e4f5a6b71',
  apiKeyId: '2d7d1c8c-74e3-4fb0-8b9d-3e4f5a6b7c82',
  appId: '3e6c0b9d-85f4-40c1-9cae-4f5a6b7c8d93',
  roomId: '4f5b9aae-9605-41d2-8dbf-5a6b7c8d9ea4',
  roomActorAccessId: '5a4a89bf-a716-42e3-9ec0-6b7c8d9eafb5',
  actorTokenId: '6b3978c0-b827-43f4-8fd1-7c8d9eafb0c6',
  accessScopeId: '7c2867d1-c938-4405-90e2-8d9eafb0c1d7',
  signingKeyId: '8d1756e2-da49-4516-81f3-9eafb0c1d2e8',
  blueprintId: '9e0645f3-eb5a-4627-9204-afb0c1d2e3f9',
  dlqId: 'af9534a4-fc6b-4738-8315-b0c1d2e3f40a',
  webhookSecretId: 'c17312c6-1e8d-495a-9537-d2e3f405162c',
  revocationId: 'd28201d7-2f9c-4a6b-8648-e3f40516273d',
  groupId: 'e39312e8-30ad-4b7c-8759-f4051627384e',
  connectionId: 'f4b421f9-41be-4c8d-8a6a-051627384e5f',
  scheduledId: 'e3a310e8-30ad-8b7c-9759-f4051627384e',
  errorId: 'b08423b5-0d7c-4849-9426-c1d2e3f4051b',
};

export const exampleTime = '2026-01-31T09:30:00.000Z';

/** As long as a real secret. */
export const exampleSecret = 'EXAMPLE-EXAMPLE-EXAMPLE-EXAMPLE-EXAMPLE-EXA';
