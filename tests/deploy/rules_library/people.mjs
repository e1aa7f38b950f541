// Prints, as JSON, what each of some people may do, by the library that Firebase gives for testing rules.
// Takes one argument: {"host", "port", "project", "rules", "people": {name: claims or null}, "paths": [path, …]}.
import { readFileSync } from "node:fs";
import { initializeTestEnvironment } from "@firebase/rules-unit-testing";
import { deleteDoc, doc, getDoc, setDoc } from "firebase/firestore";

const asked = JSON.parse(process.argv[2]);
const environment = await initializeTestEnvironment({
  projectId: asked.project,
  firestore: { host: asked.host, port: asked.port, rules: readFileSync(asked.rules, "utf8") },
});
await environment.withSecurityRulesDisabled(async (context) => {
  for (const path of asked.paths) await setDoc(doc(context.firestore(), path), { name: "something" });
});

const allowed = async (attempt) => {
  try {
    await attempt;
    return true;
  } catch (error) {
    if (error.code === "permission-denied") return false;
    throw error;
  }
};

const found = {};
for (const [name, claims] of Object.entries(asked.people)) {
  const context =
    claims === null ? environment.unauthenticatedContext() : environment.authenticatedContext("somebody", claims);
  const store = context.firestore();
  for (const path of asked.paths) {
    found[`${name} ${path}`] = {
      get: await allowed(getDoc(doc(store, path))),
      create: await allowed(setDoc(doc(store, `${path}-new`), { name: "something" })),
      update: await allowed(setDoc(doc(store, path), { name: "something else" })),
      delete: await allowed(deleteDoc(doc(store, path))),
    };
  }
}
await environment.cleanup();
console.log(JSON.stringify(found));
process.exit(0);
