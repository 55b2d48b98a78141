/** A box thrown onto a floor. */
console.log("The thrown box comes with the first release.");
