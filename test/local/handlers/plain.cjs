exports.handler = async (event) => {
  console.log(`plain ${event.Records.length}`);
};
