import ts from 'typescript';

const isPrivate = (declaration) =>
  (ts.getCombinedModifierFlags(declaration) & ts.ModifierFlags.Private) !== 0 &&
  ts.isClassLike(declaration.parent);

/** Names of private members that nothing else has, of which a minifier may make shorter ones: what is in doubt is left as it is. */
export const privateNames = (configFile) => {
  const { options, fileNames } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(configFile, ts.sys.readFile).config,
    ts.sys,
    ts.sys.resolvePath(`${configFile}/..`),
  );
  const program = ts.createProgram(fileNames, options);
  const checker = program.getTypeChecker();
  const candidates = new Set();
  const others = new Set();

  const look = (node) => {
    if (ts.isStringLiteralLike(node)) others.add(node.text);
    if (ts.isIdentifier(node) && isPropertyName(node)) {
      const declarations = checker.getSymbolAtLocation(node)?.declarations ?? [];
      const names = declarations.length > 0 && declarations.every(isPrivate) ? candidates : others;
      names.add(node.text);
    }
    ts.forEachChild(node, look);
  };
  for (const file of program.getSourceFiles()) if (fileNames.includes(file.fileName)) look(file);
  return [...candidates].filter((name) => !others.has(name)).sort();
};

/** Of an access, of a member or of a field; a binding such as `{ name }` counts as one of its own. */
const isPropertyName = (node) => {
  const { parent } = node;
  return (
    (ts.isPropertyAccessExpression(parent) && parent.name === node) ||
    ts.isClassElement(parent) ||
    ts.isTypeElement(parent) ||
    ts.isObjectLiteralElementLike(parent) ||
    ts.isBindingElement(parent) ||
    ts.isParameter(parent)
  );
};
