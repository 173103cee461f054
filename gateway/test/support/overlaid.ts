/** A real thing with some of its methods replaced, for faults that it does not have by itself. */
export const overlaid = <T extends object>(real: T, replaced: Partial<T>): T =>
  new Proxy(real, {
    get: (target, name) => {
      if (name in replaced) return Reflect.get(replaced, name) as unknown;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
