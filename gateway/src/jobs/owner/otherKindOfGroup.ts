/** A member with jobs comes to a group whose members have none, or one without to a group with jobs. */
export class OtherKindOfGroup extends Error {
  override readonly name = 'OtherKindOfGroup';

  constructor(name: string) {
    super(`The worker group ${name} is one of the other kind`);
  }
}
