/** One grammar for the slugs of apps, rooms and scopes: they are segments of topic addresses. */
const slugPattern = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;

export const slugMaxLength = 100;

export const isSlug = (text: string): boolean => text.length <= slugMaxLength && slugPattern.test(text);

/** A slug made from a display name; `fallback` where the name has no letter or digit that a slug may hold. */
export const slugFromName = (name: string, fallback: string): string => {
  const slug = name
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, slugMaxLength - 5)
    .replace(/^-+|-+$/g, '');
  return slug === '' ? fallback : slug;
};
